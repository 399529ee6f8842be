#include "dragoman/convert/ctranslate2.h"

#include "convert/ctranslate2_bytes.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/run/parameters.h"
#include "support/catch.h"
#include "support/close.h"
#include "support/refusal.h"
#include "support/temporary_directory.h"

#include <torch/types.h>

namespace ctranslate2_test {

using namespace dragoman;
using test::random_run;
using test::small_options;

namespace {

/// Exports and re-imports.
LoadedRun there_and_back(const LoadedRun& run,
                         CTranslate2Weights weights = CTranslate2Weights::float32) {
  const test::TemporaryDirectory folder;
  export_ctranslate2(run, folder / "ct2", weights);
  import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
  return load_run(folder / "run");
}

}  // namespace

TEST_CASE("a model survives a round trip through CTranslate2's format unchanged", "[unit]") {
  std::vector<RunOptions> kinds(8, small_options());
  kinds[1].model.norm = NormPosition::pre;
  kinds[1].model.activation = Activation::gelu;
  kinds[1].model.layer_norm_eps = 1e-6;
  kinds[2].model.position = Position::learned;
  kinds[2].model.max_positions = 20;
  kinds[2].data.max_length = 19;
  kinds[2].model.output_bias = true;
  kinds[3].model.share_embeddings = ShareEmbeddings::target_output;
  kinds[4].model.share_embeddings = ShareEmbeddings::none;
  kinds[4].model.embed_scale = false;
  kinds[5].model.activation = Activation::swish;
  kinds[5].model.sinusoids = Sinusoids::halves;
  kinds[5].model.position_offset = 1;
  kinds[5].model.start_vector = StartVector::zero;
  kinds[5].model.decoder_d_ff = 20;
  kinds[5].model.decoder_num_heads = 2 * kinds[5].model.num_heads;
  kinds[6].model.activation = Activation::gelu_sigmoid;
  kinds[6].model.sinusoids = Sinusoids::halves_inclusive;
  kinds[6].model.position_offset = 2;
  kinds[6].model.embedding_norm = true;
  kinds[7].model.share_embeddings = ShareEmbeddings::source_target;
  kinds[7].model.embed_scale_value = 1.5;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(i);
    const auto run = random_run(kinds[i], kinds[i].model.has_joint_embedding());
    test::forbid_padding(run);
    const auto back = there_and_back(run);
    CHECK(nlohmann::json(back.options.model.norm) == nlohmann::json(run.options.model.norm));
    CHECK(back.options.model.layer_norm_eps == run.options.model.layer_norm_eps);
    auto model = back.options.model;
    model.max_positions = run.options.model.max_positions;
    CHECK(nlohmann::json(model) == nlohmann::json(run.options.model));
    test::check_parameters(back, run);
  }
}

TEST_CASE("variables and aliases have the names that CTranslate2 uses", "[golden]") {
  const test::TemporaryDirectory folder;
  export_ctranslate2(random_run(small_options()), folder / "ct2");
  const auto file = read_ctranslate2_file(folder / "ct2" / "model.bin");
  CHECK(file.aliases ==
        std::map<std::string, std::string>{
            {"decoder/projection/weight", "decoder/embeddings/weight"},
            {"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
            {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"}});
  CHECK(file.find("decoder/layer_0/attention/linear_1/weight")->shape ==
        std::vector<std::uint32_t>{16, 8});
  CHECK(file.find("encoder/layer_1/self_attention/linear_0/bias")->shape ==
        std::vector<std::uint32_t>{24});
  CHECK(file.find("encoder/layer_2/ffn/linear_0/weight") == nullptr);
  CHECK(file.find("decoder/num_heads")->type == CTranslate2Type::i16);
}

TEST_CASE("int8 weights come back within half a step of their row", "[unit]") {
  const auto run = random_run(small_options());
  const auto back = there_and_back(run, CTranslate2Weights::int8);
  for (const auto& [name, tensor] : parameters_of(*run.model)) {
    CAPTURE(name);
    const auto after = parameters_of(*back.model).at(name);
    if (tensor.dim() < 2) {
      CHECK(after.equal(tensor));
      continue;
    }
    const auto half_step = tensor.abs().amax(1, true) / 127.0 * 0.5001;
    CHECK(((after - tensor).abs() <= half_step).all().item<bool>());
    CHECK_FALSE(after.equal(tensor));
  }
}

TEST_CASE("weights of 16 bits come back rounded as their type rounds", "[unit]") {
  const auto run = random_run(small_options());
  const auto in_int16 = [](const at::Tensor& all) {
    const float scale = 1024.0F / all.abs().max().item<float>();
    return [scale](const at::Tensor& w) { return at::round(w * scale) / scale; };
  };
  const auto before = parameters_of(*run.model);
  for (const auto type :
       {CTranslate2Weights::float16, CTranslate2Weights::bfloat16, CTranslate2Weights::int16}) {
    const auto back = parameters_of(*there_and_back(run, type).model);
    for (const auto& [name, tensor] : before) {
      CAPTURE(static_cast<int>(type), name);
      const auto& after = back.at(name);
      if (type == CTranslate2Weights::float16)
        CHECK(after.equal(tensor.to(torch::kFloat16).to(torch::kFloat32)));
      else if (type == CTranslate2Weights::bfloat16)
        CHECK(after.equal(tensor.to(torch::kBFloat16).to(torch::kFloat32)));
      else if (tensor.dim() < 2)
        CHECK(after.equal(tensor));
      else if (name.find("attention") == std::string::npos)  // those are scaled together
        CHECK(after.equal(in_int16(tensor)(tensor)));
    }
    const auto query = [](const NamedTensors& of) {
      return of.at("encoder.layers.0.self_attention.query.weight");
    };
    CHECK(at::allclose(query(back), query(before), 0.01, 0.01));
    CHECK_FALSE(query(back).equal(query(before)));
  }
}

TEST_CASE("float16 refuses a model with numbers beyond its range", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = random_run(small_options());
  const torch::NoGradGuard no_grad;
  run.model->parameters().front().view({-1})[0].fill_(1e5);
  const auto write = [&](CTranslate2Weights type) {
    return test::refusal([&] { export_ctranslate2(run, folder / "ct2", type); });
  };
  CHECK_THAT(write(CTranslate2Weights::float16), test::contains("beyond 65504"));
  CHECK_FALSE(std::filesystem::exists(folder / "ct2"));
  CHECK(write(CTranslate2Weights::bfloat16).empty());
}

TEST_CASE("rows follow the pieces of the tokenizer, not their order", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = random_run(small_options());
  export_ctranslate2(run, folder / "ct2");
  auto file = read_ctranslate2_file(folder / "ct2" / "model.bin");
  auto& matrix = file.variables.at("decoder/embeddings/weight");
  const std::size_t row = matrix.bytes.size() / matrix.shape[0];
  std::string bytes(matrix.bytes.view());
  std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(row),
                   bytes.end() - static_cast<std::ptrdiff_t>(row));
  matrix.bytes = std::move(bytes);
  write_file_atomically(folder / "ct2" / "model.bin", test::serialised(file));
  const auto vocabulary = folder / "ct2" / "shared_vocabulary.json";
  auto pieces = nlohmann::json::parse(read_file(vocabulary));
  std::swap(pieces.front(), pieces.back());
  write_file_atomically(vocabulary, pieces.dump());
  import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
  CHECK(parameters_of(*load_run(folder / "run").model)
            .at("embedding.weight")
            .equal(parameters_of(*run.model).at("embedding.weight")));

  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = concat("another piece ", i);
  pieces[0] = "<unk>";
  pieces[1] = "</s>";
  pieces[2] = "<s>";
  write_file_atomically(vocabulary, pieces.dump());
  const auto message =
      test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "other"); });
  CHECK_THAT(message, test::contains("shared_vocabulary.json: has no token for "));
  CHECK_FALSE(std::filesystem::exists(folder / "other"));
}

TEST_CASE("what the format cannot represent is refused by name, and nothing is left behind",
          "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = small_options();
  options.model.residual = false;
  CHECK_THAT(test::refusal([&] { export_ctranslate2(random_run(options), folder / "ct2"); }),
             test::contains("model.residual: "));
  CHECK_FALSE(std::filesystem::exists(folder / "ct2"));

  options = small_options();
  options.model.start_vector = StartVector::learned;
  CHECK_THAT(test::refusal([&] { export_ctranslate2(random_run(options), folder / "ct2"); }),
             test::contains("model.start_vector: "));

  export_ctranslate2(random_run(small_options()), folder / "ct2");
  CHECK_THAT(
      test::refusal([&] { export_ctranslate2(random_run(small_options()), folder / "ct2"); }),
      test::contains("ct2: exists and is not an empty folder"));
  const auto edited = [&](const char* name, char value) {
    auto file = read_ctranslate2_file(folder / "ct2" / "model.bin");
    const auto before = file;
    auto& bytes = file.variables.at(name).bytes;
    bytes = value + std::string(bytes.view().substr(1));
    write_file_atomically(folder / "ct2" / "model.bin", test::serialised(file));
    const auto message =
        test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run"); });
    write_file_atomically(folder / "ct2" / "model.bin", test::serialised(before));
    return message;
  };
  for (const char* name : {"encoder/multi_query_attention", "decoder/alibi", "encoder/activation"})
    CHECK_THAT(edited(name, 1), test::contains(name + 8));
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}

}  // namespace ctranslate2_test

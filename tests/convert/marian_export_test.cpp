#include "dragoman/convert/marian_export.h"

#include "convert/foreign_case.h"
#include "convert/marian_case.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "convert/tiny_package.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/storage/npz_file.h"

#include <functional>
#include <map>
#include <regex>

namespace marian_export_test {

using namespace dragoman;
using namespace marian_case;

namespace {

void check_equal(const LoadedRun& found, const LoadedRun& expected) {
  CHECK(nlohmann::json(found.options.model) == nlohmann::json(expected.options.model));
  CHECK(nlohmann::json(found.options.search) == nlohmann::json(expected.options.search));
  test::check_parameters(found, expected);
  for (const auto side : {&Vocabulary::source, &Vocabulary::target}) {
    const auto &one = expected.vocabulary.*side, &other = found.vocabulary.*side;
    REQUIRE(one.vocab_size() == other.vocab_size());
    for (std::int32_t id = 0; id < one.vocab_size(); ++id) CHECK(one.piece(id) == other.piece(id));
    CHECK(one.sentencepiece() == other.sentencepiece());
  }
}

using Arrays = std::map<std::string, std::pair<DType, std::string>>;

Arrays arrays_of(const fs::path& npz) {
  Arrays arrays;
  const NpzFile file(npz);
  for (const auto& array : file.arrays())
    if (array.name != "special:model.yml")
      arrays.emplace(concat(array.name, ' ', nlohmann::json(array.shape).dump()),
                     std::pair(array.dtype, std::string(array.bytes)));
  return arrays;
}

bool ties_layers(const fs::path& npz) {
  static const std::regex none("transformer-tied-layers:\\s*\\[\\s*\\]");
  const NpzFile file(npz);
  for (const auto& array : file.arrays())
    if (array.name == "special:model.yml") {
      const std::string text(array.bytes);
      return text.find("transformer-tied-layers") != std::string::npos &&
             !std::regex_search(text, none);
    }
  return false;
}

/// All arrays are written as float32, and tied layers one by one.
void check_written(const fs::path& written, const fs::path& read) {
  const auto again = arrays_of(written), original = arrays_of(read);
  if (!ties_layers(read)) CHECK(again.size() == original.size());
  for (const auto& [name, array] : original) {
    CAPTURE(name);
    REQUIRE(again.contains(name));
    const bool is_short = array.first == DType::f16;
    const bool as_expected = is_short ? again.at(name).first == DType::f32  // values: check_equal
                                      : again.at(name) == array;
    CHECK(as_expected);
  }
}

/// A run that Marian can express.
RunOptions marian_options() {
  auto options = test::small_options();
  options.model.sinusoids = Sinusoids::halves_inclusive;
  options.model.start_vector = StartVector::zero;
  options.model.layer_norm_eps = 1e-6;
  options.search.length_penalty_kind = LengthPenaltyKind::power;
  return options;
}

std::string refusal(const RunOptions& options) {
  const test::TemporaryDirectory folder;
  try {
    export_marian(test::random_run(options), folder / "out");
  } catch (const OptionsError& error) {
    CHECK_FALSE(fs::exists(folder / "out"));
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a model of Marian, written and read again, has the bits that it had", "[golden]") {
  const test::TemporaryDirectory folder;
  auto models = std::vector{test::tiny_package(folder)};
  for (const auto& model : test::marian_folders())
    if (!npz_in(model).empty()) models.push_back(model);
  REQUIRE(models.size() > 1);
  for (std::size_t i = 0; i < models.size(); ++i) {
    CAPTURE(models[i].filename().string());
    const auto first = imported(models[i], folder / concat("first", i));
    const auto written = folder / concat("written", i);
    export_marian(first, written);
    check_equal(imported(written, folder / concat("second", i)), first);
    check_written(npz_in(written), npz_in(models[i]));
  }
}

TEST_CASE("runs in each form that Marian has come back from its format", "[unit]") {
  std::vector<RunOptions> kinds(9, marian_options());
  kinds[1].model.norm = NormPosition::pre;
  kinds[1].model.activation = Activation::gelu;
  kinds[1].model.decoder_d_ff = 20;
  kinds[2].model.share_embeddings = ShareEmbeddings::none;
  kinds[2].model.output_bias = true;
  kinds[2].model.activation = Activation::gelu_sigmoid;
  kinds[3].model.share_embeddings = ShareEmbeddings::target_output;
  kinds[3].model.embedding_norm = true;
  kinds[3].search.unknown = UnknownRule::keep;
  kinds[4].model.share_embeddings = ShareEmbeddings::source_target;
  kinds[4].model.activation = Activation::swish;
  kinds[5].search.beam_size = 7;
  kinds[5].search.length_penalty = 0.75;
  kinds[6].model.decoder_layer = DecoderLayerKind::ssru;
  kinds[6].model.ssru_output = false;
  kinds[7].model.decoder_layer = DecoderLayerKind::average_attention;
  kinds[7].model.average_depth = 3;
  kinds[7].model.average_d_ff = 12;
  kinds[7].model.average_activation = Activation::gelu;
  kinds[7].model.average_gate = false;
  kinds[8].model.norm = NormPosition::pre;
  kinds[8].model.norm_keys = false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(i);
    const test::TemporaryDirectory folder;
    const auto run = test::random_run(kinds[i], kinds[i].model.has_joint_embedding());
    export_marian(run, folder / "out");
    check_equal(imported(folder / "out", folder / "run"), run);
  }
}

TEST_CASE("no length penalty is none in Marian either", "[unit]") {
  auto options = marian_options();
  options.search.length_penalty_kind = LengthPenaltyKind::gnmt;
  options.search.length_penalty = 0.0;
  const test::TemporaryDirectory folder;
  export_marian(test::random_run(options), folder / "out");
  CHECK_THAT(read_file(folder / "out" / "decoder.yml"), test::contains("\nnormalize: 0.0\n"));
}

TEST_CASE("the options of a written model end with one zero byte", "[unit]") {
  const test::TemporaryDirectory folder;
  export_marian(test::random_run(marian_options()), folder / "out");
  const NpzFile file(folder / "out" / "model.npz");
  bool found = false;
  for (const auto& array : file.arrays()) {
    if (array.name != "special:model.yml") continue;
    found = true;
    CHECK(std::ranges::count(array.bytes, '\0') == 1);
    CHECK(array.bytes.back() == '\0');
  }
  CHECK(found);
  const MarianWeights weights(folder / "out" / "model.npz");
  CHECK(weights.options().at("dim-emb") == std::vector<std::string>{"8"});
  CHECK(weights.matrix("encoder_l1_ffn_W1", 8, 16).size(1) == 16);
}

TEST_CASE("what Marian cannot express is refused by the option's name", "[unit]") {
  using Change = std::function<void(ModelOptions&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"sinusoids", [](ModelOptions& m) { m.sinusoids = Sinusoids::interleaved; }},
      {"sinusoids", [](ModelOptions& m) { m.sinusoids = Sinusoids::halves; }},
      {"position",
       [](ModelOptions& m) {
         m.position = Position::learned;
         m.sinusoids = Sinusoids::interleaved;
       }},
      {"position_offset", [](ModelOptions& m) { m.position_offset = 2; }},
      {"start_vector", [](ModelOptions& m) { m.start_vector = StartVector::token; }},
      {"layer_norm_eps", [](ModelOptions& m) { m.layer_norm_eps = 1e-5; }},
      {"embed_scale", [](ModelOptions& m) { m.embed_scale = false; }},
      {"activation", [](ModelOptions& m) { m.activation = Activation::gelu_tanh; }},
      {"activation",
       [](ModelOptions& m) {
         m.norm = NormPosition::pre;
         m.norm_keys = false;
         m.activation = Activation::gelu;
       }},
      {"decoder_layer", [](ModelOptions& m) { m.decoder_layer = DecoderLayerKind::lstm; }},
      {"residual", [](ModelOptions& m) { m.residual = false; }},
      {"d_v", [](ModelOptions& m) { m.d_v = 2; }}};
  for (const auto& [key, change] : changes) {
    auto options = marian_options();
    change(options.model);
    CHECK_THAT(refusal(options), test::contains("model." + key + ": "));
  }
  CHECK(refusal(marian_options()).empty());
}

}  // namespace marian_export_test

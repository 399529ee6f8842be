#include "convert/ctranslate2_bytes.h"
#include "convert/foreign_case.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_export.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/model/positional_encoding.h"
#include "dragoman/run/parameters.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/refusal.h"
#include "support/temporary_directory.h"

#include <torch/types.h>

#include <functional>

namespace ctranslate2_import_test {

using namespace dragoman;
using test::random_run;
using test::small_options;

namespace {

/// The ids of the same pieces in another vocabulary.
void renumber(nlohmann::json& ids, const Tokenizer& from, const Tokenizer& to) {
  for (auto& id : ids) id = to.id(from.piece(id.get<std::int32_t>()));
}

/// A random run as a folder of CTranslate2, whose config.json is changed again and again.
struct ConfigCopy {
  test::TemporaryDirectory folder;
  LoadedRun run = random_run(small_options());
  nlohmann::json original;
  int count = 0;

  ConfigCopy() {
    export_ctranslate2(run, folder / "ct2");
    original = nlohmann::json::parse(read_file(folder / "ct2" / "config.json"));
  }

  /// The folder read with another value of a key.
  LoadedRun with(const std::string& key, const nlohmann::json& value) {
    auto config = original;
    config[key] = value;
    write_file_atomically(folder / "ct2" / "config.json", config.dump());
    const auto run_dir = folder / concat("run", ++count);
    import_ctranslate2({.model_dir = folder / "ct2"}, run_dir);
    return load_run(run_dir);
  }

  std::string refusal(const std::string& key, const nlohmann::json& value) {
    return test::refusal([&] { with(key, value); });
  }

  /// A flag of config.json as a run is written.
  bool written(const LoadedRun& again, const char* key) {
    const auto out = folder / concat("out", ++count);
    export_ctranslate2(again, out);
    return nlohmann::json::parse(read_file(out / "config.json")).at(key).get<bool>();
  }
};

}  // namespace

TEST_CASE("what config.json names is honoured or refused by key and value", "[unit]") {
  ConfigCopy copy;
  CHECK_THAT(copy.refusal("multi_query_attention", true),
             test::contains("config.json: multi_query_attention is true"));
  CHECK_THAT(copy.refusal("decoder_start_token", nullptr),
             test::contains("decoder_start_token is null"));
  CHECK_THAT(copy.refusal("quantization_type", "awq"),
             test::contains("config.json: quantization_type is \"awq\""));
  CHECK_THAT(copy.refusal("unk_token", 3), test::contains("unk_token is 3"));
  CHECK_THAT(copy.refusal("eos_token", "<none>"), test::contains("has no token <none>"));
  CHECK_THAT(copy.refusal("layer_norm_epsilon", -1.0), test::contains("model.layer_norm_eps: -1"));
  CHECK(copy.refusal("suppressed", nullptr).empty());
  CHECK(copy.with("layer_norm_epsilon", 1e-7).options.model.layer_norm_eps == 1e-7);
  CHECK(copy.with("layer_norm_epsilon", nullptr).options.model.layer_norm_eps == 1e-5);
  const auto start = copy.with("decoder_start_token", "</s>");
  CHECK(start.vocabulary.target.special().bos == start.vocabulary.target.special().eos);
}

TEST_CASE("what begins and ends sources is read, written again, or refused", "[unit]") {
  ConfigCopy copy;
  const auto& source = copy.run.vocabulary.source;
  const auto text = std::string("koru vedo.");
  const auto ids = source.encode(text);
  auto begun = ids, ended = ids;
  begun.insert(begun.begin(), static_cast<std::int32_t>(source.special().bos));
  ended.push_back(static_cast<std::int32_t>(source.special().eos));
  const auto with_bos = copy.with("add_source_bos", true);
  CHECK(with_bos.vocabulary.source.encode(text) == begun);
  CHECK(with_bos.vocabulary.target.encode(text) == ids);
  const auto with_end = [&](const LoadedRun& run) {
    auto found = ids;
    run.vocabulary.source.end_source(found);
    return found;
  };
  const auto without_eos = copy.with("add_source_eos", false);
  CHECK(with_end(with_bos) == ended);
  CHECK(with_end(without_eos) == ids);

  for (const char* key : {"add_source_bos", "add_source_eos"}) {
    CHECK(copy.written(copy.run, key) == copy.original.at(key).get<bool>());
    CHECK(copy.written(with_bos, key));
    CHECK_FALSE(copy.written(without_eos, key));
  }
  for (const auto* other : {&with_bos, &without_eos}) {
    CHECK_THAT(test::refusal([&] { export_huggingface(*other, copy.folder / "mt"); }),
               test::contains("tokenizer: ") && test::contains("MarianMT's format"));
    CHECK_THAT(test::refusal([&] { export_marian(*other, copy.folder / "marian"); }),
               test::contains("tokenizer: ") && test::contains("Marian's format"));
  }
}

TEST_CASE("a language is its token, not the piece of its name", "[unit]") {
  const TokenList list{.file = "shared_vocabulary.json",
                       .tokens = {"en", "__en__", "de", ">>de<<", "eng_Latn"}};
  CHECK(list.language_id("en", "--source-language") == 1);
  CHECK(list.language_id("__en__", "--source-language") == 1);
  CHECK(list.language_id("de", "--source-language") == 3);
  CHECK(list.language_id("eng_Latn", "--source-language") == 4);
  CHECK_THAT(test::refusal([&] { list.language_id("fr", "--source-language"); }),
             test::contains("has no token for the language fr"));
}

TEST_CASE("a table of positions of another width is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = small_options();
  options.model.sinusoids = Sinusoids::halves;
  export_ctranslate2(random_run(options), folder / "ct2");
  const auto place = folder / "ct2" / "model.bin";
  auto file = read_ctranslate2_file(place);
  const auto narrow = options.model.d_model - 2;
  const auto table = sinusoidal_table(30, narrow, Sinusoids::halves).to(at::kFloat).contiguous();
  file.variables.at("decoder/position_encodings/encodings") = {
      .shape = {30, static_cast<std::uint32_t>(narrow)},
      .type = CTranslate2Type::f32,
      .bytes = std::string(static_cast<const char*>(table.const_data_ptr()), table.nbytes())};
  write_file_atomically(place, test::serialised(file));
  CHECK_THAT(
      test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run"); }),
      test::contains(concat("has ", narrow, " columns, the embeddings ", narrow + 2)));
}

TEST_CASE("a bias of another number of pieces is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = small_options();
  options.model.output_bias = true;
  export_ctranslate2(random_run(options), folder / "ct2");
  const auto place = folder / "ct2" / "model.bin";
  const auto original = read_ctranslate2_file(place);
  for (const int more : {-2, 3}) {
    auto file = original;
    auto& bias = file.variables.at("decoder/projection/bias");
    bias.shape.front() += static_cast<std::uint32_t>(more);
    bias.bytes = std::string(4 * bias.shape.front(), '\0');
    write_file_atomically(place, test::serialised(file));
    CHECK_THAT(
        test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run"); }),
        test::contains(concat("decoder/projection/bias has ", bias.shape.front(),
                              " rows, the "
                              "embeddings have ",
                              original.variables.at("decoder/projection/bias").shape.front())));
  }
}

TEST_CASE("a vocabulary map becomes a shortlist of the run", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto original = random_run(small_options());
  export_ctranslate2(original, folder / "ct2");
  const auto& [source, target, joint] = original.vocabulary;
  write_file_atomically(folder / "ct2" / "vmap.txt",
                        concat('\t', target.piece(10), '\n', source.piece(11), '\t',
                               target.piece(12), ' ', target.piece(13), '\n'));
  import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
  const auto run = load_run(folder / "run");
  const auto read = read_shortlist(folder / "run" / "vmap.txt", run.vocabulary);
  CHECK(read.format == ShortlistFormat::ctranslate2);
  write_file_atomically(folder / "ct2" / "vmap.txt", "no tab\n");
  CHECK_THAT(
      test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "other"); }),
      test::contains("vmap.txt"));
  CHECK_FALSE(std::filesystem::exists(folder / "other"));
}

TEST_CASE("variables of other models are refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  export_ctranslate2(random_run(small_options()), folder / "ct2");
  const auto place = folder / "ct2" / "model.bin";
  const auto original = read_ctranslate2_file(place);
  const auto refusal = [&](const std::function<void(CTranslate2File&)>& change) {
    auto file = original;
    change(file);
    write_file_atomically(place, test::serialised(file));
    return test::refusal(
        [&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run"); });
  };
  const CTranslate2Variable row{
      .shape = {8}, .type = CTranslate2Type::f32, .bytes = std::string(32, '\1')};
  for (const std::string name :
       {"encoder/layer_0/self_attention/relative_attention_bias", "decoder/project_in/weight",
        "encoder/embeddings_1/weight", "decoder/layer_0/self_attention/q_norm/gamma"})
    CHECK_THAT(refusal([&](CTranslate2File& file) { file.variables[name] = row; }),
               test::contains(name));
  CHECK_THAT(refusal([](CTranslate2File& file) {
               file.variables.erase("encoder/layer_1/ffn/layer_norm/beta");
             }),
             test::contains("has no variable encoder/layer_1/ffn/layer_norm/beta"));
  const auto set = [](const char* name, float value) {
    return [=](CTranslate2File& file) {
      file.variables[name] = {
          .shape = {},
          .type = CTranslate2Type::f32,
          .bytes = std::string(reinterpret_cast<const char*>(&value), sizeof value)};
    };
  };
  CHECK_THAT(refusal(set("decoder/final_logit_softcapping", 30.0F)),
             test::contains("decoder/final_logit_softcapping is 30"));
  CHECK_THAT(refusal(set("decoder/activation", 5.0F)), test::contains("activation"));
  CHECK_THAT(refusal([](CTranslate2File& file) {
               file.aliases.erase("encoder/position_encodings/encodings");
             }),
             test::contains("encoder/position_encodings/encodings"));
  const std::string norm = "decoder/layer_0/self_attention/q_norm/gamma";
  CHECK_THAT(
      refusal([&](CTranslate2File& file) { file.aliases[norm] = "decoder/layer_norm/gamma"; }),
      test::contains(norm));
  CHECK(refusal(set("decoder/scale_outputs", 1.0F)).empty());
}

TEST_CASE("without a table positions are sines in halves that count from one", "[unit]") {
  const test::TemporaryDirectory folder;
  export_ctranslate2(random_run(small_options()), folder / "ct2");
  const auto place = folder / "ct2" / "model.bin";
  auto file = read_ctranslate2_file(place);
  file.variables.erase("decoder/position_encodings/encodings");
  file.aliases.erase("encoder/position_encodings/encodings");
  file.variables.erase("encoder/layer_0/ffn/linear_1/bias");
  write_file_atomically(place, test::serialised(file));
  import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
  const auto run = load_run(folder / "run");
  CHECK(run.options.model.sinusoids == Sinusoids::halves_inclusive);
  CHECK(run.options.model.position_offset == 1);
  CHECK(parameters_of(*run.model)
            .at("encoder.layers.0.feed_forward.outer.bias")
            .abs()
            .max()
            .item<float>() == 0.0F);
}

TEST_CASE("a SentencePiece model without begin and end of its own splits text all the same",
          "[golden]") {
  const test::TemporaryDirectory folder;
  const auto marian = test::prenorm_folder();
  import_marian(marian, folder / "first");
  const auto first = load_run(folder / "first");
  export_ctranslate2(first, folder / "ct2");
  for (const char* of : {"tokenizer", "sentencepiece"})
    for (const char* side : {".model", ".source.model", ".target.model"})
      std::filesystem::remove(folder / "ct2" / concat(of, side));
  CHECK_THAT(
      test::refusal([&] { import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run"); }),
      test::contains("give the SentencePiece model with --tokenizer"));
  for (const char* name : {"source.spm", "target.spm"})
    write_file_atomically(folder / "ct2" / name, read_file(test::file_ending(marian, ".spm")));
  import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
  const auto again = load_run(folder / "run");
  const std::string text = "The old king sees the tower.";
  CHECK(again.vocabulary.source.encode(text) == first.vocabulary.source.encode(text));
  test::check_parameters(again, first);
}

TEST_CASE("a model of transformers written for CTranslate2 has the answers of transformers",
          "[golden]") {
  int written = 0;
  test::for_foreign_cases([&](const test::ForeignCase& foreign) {
    const test::TemporaryDirectory folder;
    try {
      export_ctranslate2(foreign.run, folder / "ct2");
    } catch (const OptionsError& error) {  // such as positions that CTranslate2 does not have
      CHECK_THAT(error.what(), test::contains("CTranslate2's format needs model."));
      CHECK_FALSE(foreign.golden.at("family") == "marian");
      return;
    }
    import_ctranslate2({.model_dir = folder / "ct2"}, folder / "run");
    const auto run = load_run(folder / "run");
    const auto model = inference_model(run.model);
    const auto worker = model->make_worker(
        {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()});
    auto pairs = foreign.golden.at("forced");
    for (auto& pair : pairs) {
      renumber(pair.at("input_ids"), foreign.run.vocabulary.source, run.vocabulary.source);
      renumber(pair.at("label_ids"), foreign.run.vocabulary.target, run.vocabulary.target);
      // CTranslate2 does not have MarianMT's column of PAD.
      if (pair.contains("logprobs_without_pad")) pair["logprobs"] = pair["logprobs_without_pad"];
    }
    test::check_log_probs(*worker, pairs);
    ++written;
  });
  CHECK(written > 0);
}

}  // namespace ctranslate2_import_test

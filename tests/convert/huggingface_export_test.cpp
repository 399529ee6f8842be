#include "convert/foreign_case.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "dragoman/core/file.h"
#include "dragoman/storage/safetensors.h"
#include "support/log_taken.h"
#include "support/refusal.h"

#include <algorithm>
#include <functional>

namespace huggingface_export_test {

using namespace dragoman;
using test::ForeignCase;

namespace {

/// A random run of a form that MarianMT has, but for the change.
LoadedRun changed_run(const std::function<void(ModelOptions&)>& change, bool joint = true) {
  RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 24;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 2;
  change(options.model);
  options.search.length_penalty_kind = LengthPenaltyKind::power;
  options.tokenizer.joint = joint;
  return test::random_run(options, joint, /*spread=*/0.3);
}

LoadedRun there_and_back(const LoadedRun& run) {
  const test::TemporaryDirectory folder;
  export_huggingface(run, folder / "model");
  import_huggingface(folder / "model", {}, folder / "run");
  return load_run(folder / "run");
}

at::Tensor logits_of(const LoadedRun& run) {
  auto model = run.model;
  const auto source = torch::tensor({{5, 9, 12, 20, 3}}), target = torch::tensor({{2, 7, 8, 9}});
  return model->forward(source, torch::ones_like(source, torch::kBool), target);
}

}  // namespace

TEST_CASE("a MarianMT folder that is read and written again gives the same run", "[golden]") {
  for (const auto& folder : test::foreign_folders("marian")) {
    CAPTURE(folder.filename().string());
    const ForeignCase foreign(folder);
    const auto back = there_and_back(foreign.run);
    CHECK(nlohmann::json(back.options.model) == nlohmann::json(foreign.run.options.model));
    auto search = foreign.run.options.search;  // MarianMT has no positions beyond the longest text
    search.max_length = std::min(search.max_length, foreign.run.options.data.max_length);
    CHECK(nlohmann::json(back.options.search) == nlohmann::json(search));
    test::check_parameters(back, foreign.run);
    CHECK(back.vocabulary.source.bytes() == foreign.run.vocabulary.source.bytes());
    CHECK(back.vocabulary.target.bytes() == foreign.run.vocabulary.target.bytes());
  }
}

TEST_CASE("one's own models give the same logits as MarianMT, the paper's positions included",
          "[property]") {
  const std::vector<std::pair<bool, std::function<void(ModelOptions&)>>> kinds = {
      {true, [](ModelOptions&) {}},
      {true, [](ModelOptions& o) { o.sinusoids = Sinusoids::halves; }},
      {true,
       [](ModelOptions& o) {
         o.share_embeddings = ShareEmbeddings::source_target;
         o.output_bias = true;
         o.activation = Activation::swish;
       }},
      {false,
       [](ModelOptions& o) {
         o.share_embeddings = ShareEmbeddings::target_output;
         o.embed_scale = false;
         o.decoder_d_ff = 40;
         o.decoder_num_heads = 2 * o.num_heads;
       }},
      {false, [](ModelOptions& o) { o.share_embeddings = ShareEmbeddings::none; }}};
  for (const auto& [joint, change] : kinds) {
    const auto run = changed_run(change, joint);
    CAPTURE(nlohmann::json(run.options.model).dump());
    const auto back = there_and_back(run);
    CHECK(back.options.model.sinusoids == Sinusoids::halves);
    CHECK_THAT(logits_of(back), test::close_to(logits_of(run), {1e-4, 1e-4}));
    for (const std::string text : {"koru vedo lamis.", "baten!"}) {
      CHECK(back.vocabulary.source.encode(text) == run.vocabulary.source.encode(text));
      CHECK(back.vocabulary.target.decode(back.vocabulary.target.encode(text)) == text);
    }
    CHECK(back.vocabulary.target.special().bos == run.vocabulary.target.special().bos);
  }
}

TEST_CASE("generation ends before the positions do, or where the run says", "[unit]") {
  const auto limit_of = [](std::int64_t longest, std::int64_t max_length) {
    auto run = changed_run([](ModelOptions&) {});
    run.options.data.max_length = longest;
    run.options.search.max_length = max_length;
    const test::TemporaryDirectory folder;
    export_huggingface(run, folder / "model");
    CHECK(test::read_json(folder / "model" / "config.json").at("max_position_embeddings") ==
          longest + 1);
    return test::read_json(folder / "model" / "generation_config.json")
        .at("max_length")
        .get<std::int64_t>();
  };
  CHECK(limit_of(100, 0) == 101);
  CHECK(limit_of(100, 50) == 51);
  CHECK(limit_of(1000, 0) == 512);
  test::LogTaken log;
  CHECK(limit_of(100, 200) == 101);
  CHECK_THAT(log.warnings.back(), test::contains("search.max_length=200 is beyond the positions"));
}

TEST_CASE("with an output of its own a shared matrix is written under all of its names", "[unit]") {
  const auto names_of = [](ShareEmbeddings shared) {
    const test::TemporaryDirectory folder;
    export_huggingface(changed_run([&](ModelOptions& o) { o.share_embeddings = shared; }),
                       folder / "model");
    const SafetensorsFile file(folder / "model" / "model.safetensors");
    const auto* both = file.find("model.shared.weight");
    REQUIRE(both != nullptr);
    std::vector<std::string> names;
    for (const auto& tensor : file.tensors())
      if (tensor.bytes == both->bytes) names.push_back(tensor.name);
    std::ranges::sort(names);
    return names;
  };
  CHECK(names_of(ShareEmbeddings::all) == std::vector<std::string>{"model.shared.weight"});
  CHECK(names_of(ShareEmbeddings::source_target) ==
        std::vector<std::string>{"model.decoder.embed_tokens.weight",
                                 "model.encoder.embed_tokens.weight", "model.shared.weight"});
}

TEST_CASE("the search of generate is that of the run, and what gets lost is told", "[unit]") {
  auto run = changed_run([](ModelOptions&) {});
  const auto written = [&] {
    const test::TemporaryDirectory folder;
    export_huggingface(run, folder / "model");
    return test::read_json(folder / "model" / "generation_config.json");
  };
  const auto unknown = nlohmann::json::array({run.vocabulary.target.special().unk});
  const auto bans_unknown = [&](const nlohmann::json& json) {
    return std::ranges::find(json.at("bad_words_ids"), unknown) != json.at("bad_words_ids").end();
  };
  CHECK(bans_unknown(written()));
  CHECK(there_and_back(run).options.search.unknown == UnknownRule::forbid);
  run.options.search.unknown = UnknownRule::keep;
  CHECK_FALSE(bans_unknown(written()));
  CHECK(there_and_back(run).options.search.unknown == UnknownRule::keep);
  CHECK(written().at("num_beams") == run.options.search.beam_size);
  test::LogTaken log;
  written();
  REQUIRE(log.warnings.size() == 1);
  CHECK_THAT(log.warnings.front(), test::contains("search.strict_beam=false has no place"));
  CHECK_THAT(log.messages.back() + log.messages.front(), test::contains("max_length_offset=50"));
  run.options.search.beam_size = 1;
  log.warnings.clear();
  written();
  REQUIRE(log.warnings.size() == 1);
  CHECK_THAT(log.warnings.front(), test::contains("search.beam_size=1: with one beam, generate"));
  run.options.search.greedy = true;
  log.warnings.clear();
  CHECK(written().at("num_beams") == 1);
  CHECK(log.warnings.empty());
  run.options.search.coverage_penalty = 0.25;
  run.options.search.unknown = UnknownRule::copy;
  written();
  REQUIRE(log.warnings.size() == 1);
  CHECK_THAT(log.warnings.front(), test::contains("search.coverage_penalty=0.25") &&
                                       test::contains("search.unknown=\"copy\""));
}

TEST_CASE("what MarianMT does not have is refused by name, and nothing is left behind", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto refusal = [&](const std::function<void(ModelOptions&)>& change) {
    std::string message;
    try {
      export_huggingface(changed_run(change), folder / "model");
    } catch (const OptionsError& error) {
      message = error.what();
    }
    CHECK_FALSE(std::filesystem::exists(folder / "model"));
    return message;
  };
  CHECK_THAT(refusal([](auto& o) { o.norm = NormPosition::pre; }), test::contains("model.norm: "));
  CHECK_THAT(refusal([](auto& o) { o.layer_norm_eps = 1e-6; }),
             test::contains("model.layer_norm_eps: "));
  CHECK_THAT(refusal([](auto& o) { o.sinusoids = Sinusoids::halves_inclusive; }),
             test::contains("model.sinusoids: "));
  CHECK_THAT(refusal([](auto& o) { o.position_offset = 2; }),
             test::contains("model.position_offset: "));
  CHECK_THAT(refusal([](auto& o) { o.start_vector = StartVector::zero; }),
             test::contains("model.start_vector: "));
  CHECK_THAT(refusal([](auto& o) { o.attention_bias = false; }),
             test::contains("model.attention_bias: "));
  CHECK_THAT(refusal([](auto& o) { o.residual = false; }), test::contains("model.residual: "));
  CHECK_THAT(refusal([](auto& o) { o.d_k = 5; }), test::contains("model.d_k: "));
}

TEST_CASE("search settings that generate lacks are told, and no length penalty is kept", "[unit]") {
  auto run = changed_run([](ModelOptions&) {});
  run.options.search.early_stopping = EarlyStopping::first;
  run.options.search.length_penalty_kind = LengthPenaltyKind::gnmt;
  for (const double penalty : {0.6, 0.0}) {
    CAPTURE(penalty);
    run.options.search.length_penalty = penalty;
    const test::TemporaryDirectory folder;
    test::LogTaken log;
    export_huggingface(run, folder / "model");
    CHECK(log.has("search.early_stopping=first has no place"));
    CHECK(log.has("length_penalty_kind gnmt has no place") == (penalty > 0.0));
    const auto written =
        nlohmann::json::parse(read_file(folder / "model" / "generation_config.json"));
    CHECK(written.contains("length_penalty") == (penalty == 0.0));
  }
}

}  // namespace huggingface_export_test

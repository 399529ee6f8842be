#include "convert/marian_case.h"
#include "convert/step_log_probs.h"
#include "convert/tiny_package.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/translate/module_models.h"

#include <torch/types.h>

#include <algorithm>
#include <set>

namespace marian_steps_test {

using namespace dragoman;
using namespace marian_case;
using test::Ids;

namespace {

/// Compares the log-probabilities of the tokens that a greedy search has written.
void check_written(const LoadedRun& run, const nlohmann::json& sentence, const std::string& what) {
  CAPTURE(sentence.at("text").dump(), what);
  const auto& special = run.vocabulary.target.special();
  const auto model = inference_model(run.model);
  const auto worker =
      model->make_worker({.source = run.vocabulary.source.special(), .target = special});
  const auto ids = sentence.at(what + "_ids").get<Ids>();
  const auto steps =
      test::step_logits(*worker, sentence.at("input_ids").get<Ids>(), ids, special.bos);
  std::vector<double> found;
  const auto unknown = static_cast<std::size_t>(special.unk);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    auto log_probs = test::log_softmax(steps[t], {});
    const auto written = log_probs.at(static_cast<std::size_t>(ids[t]));
    found.push_back(written);
    log_probs.at(unknown) = written;  // never written
    CHECK(std::ranges::max(log_probs) < written + test::foreign_tolerance);
  }
  test::check_steps(found, sentence.at(what + "_logprobs").get<std::vector<double>>());
}

}  // namespace

TEST_CASE("each step of a greedy search has the log-probability of Marian's equations",
          "[golden]") {
  for_models({}, "sentences", [](const LoadedRun& run, const nlohmann::json& sentences) {
    REQUIRE_FALSE(sentences.empty());
    for (const auto& sentence : sentences) check_written(run, sentence, "greedy");
  });
}

TEST_CASE("the search of a Firefox model is greedy", "[golden]") {
  int translated = 0;
  for_models({}, "sentences", [&](const LoadedRun& run, const nlohmann::json& sentences) {
    if (run.options.search.beam_size > 1) return;
    for (const auto& sentence : sentences) {
      const auto text = sentence.at("text").get<std::string>();
      auto ids = sentence.at("greedy_ids").get<std::vector<std::int32_t>>();
      const bool ends = !ids.empty() && ids.back() == run.vocabulary.target.special().eos;
      if (!ends || text.find_first_not_of(' ') == std::string::npos) continue;
      CAPTURE(text);
      ids.pop_back();
      const auto found = translations_by(run, std::vector{text});
      CHECK(found.front().text() == run.vocabulary.target.decode(ids));
      ++translated;
    }
  });
  CHECK(translated > 0);
}

TEST_CASE("without a norm of later keys a model writes what Marian itself translates", "[golden]") {
  int translated = 0;
  for (const auto& folder : test::marian_folders()) {
    CAPTURE(folder.filename().string());
    const auto sentences = test::read_json(folder / "golden.json").at("sentences");
    REQUIRE_FALSE(sentences.empty());
    if (!test::any_has(sentences, "translated_ids")) continue;
    const test::TemporaryDirectory made;
    import_marian(folder, ImportedRun(made / "run", {"model.norm_later_keys=false"}, folder));
    const auto run = load_run(made / "run");
    for (const auto& sentence : sentences) {
      check_written(run, sentence, "translated");
      ++translated;
    }
  }
  CHECK(translated > 0);
}

TEST_CASE("the encoder's output at the first position is that of Marian's equations", "[golden]") {
  for_models({}, "sentences", [](const LoadedRun& run, const nlohmann::json& sentences) {
    const torch::NoGradGuard no_grad;
    auto model = run.model;
    int compared = 0;
    for (const auto& sentence : sentences) {
      if (!sentence.contains("encoder_first")) continue;  // a text without pieces
      ++compared;
      CAPTURE(sentence.at("text").dump());
      const auto ids = sentence.at("input_ids").get<std::vector<std::int64_t>>();
      const auto source = torch::tensor(ids).unsqueeze(0);
      const auto memory = model->encode(source, torch::ones_like(source, torch::kBool));
      const auto expected = torch::tensor(sentence.at("encoder_first").get<std::vector<float>>());
      CHECK_THAT(memory[0][0], test::close_to(expected, {0.0, test::foreign_tolerance}));
    }
    CHECK(compared > 0);
  });
}

TEST_CASE("a shortlist as text, cut down like the binary one, allows the same pieces", "[golden]") {
  int lists = 0;
  for (const auto& folder : test::marian_folders()) {
    if (!fs::exists(folder / "lex.s2t")) continue;
    const test::TemporaryDirectory made;
    const auto run = imported(folder, made / "run");
    const auto binary = load_shortlist(made / "run/shortlist.bin", run.vocabulary);
    auto text = cut_down(read_shortlist(folder / "lex.s2t", run.vocabulary).shortlist,
                         {.best = binary.best});
    text.first = binary.first;
    const auto golden = test::read_json(folder / "golden.json");
    REQUIRE_FALSE(golden.at("sentences").empty());
    for (const auto& sentence : golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      PieceSet allowed(run.vocabulary.target.vocab_size());
      text.allow(sentence.at("input_ids").get<Ids>(), allowed);
      CHECK(allowed.pieces() == sentence.at("shortlist_ids").get<Ids>());
    }
    ++lists;
  }
  CHECK(lists > 0);
}

TEST_CASE("interop_tiny's model.npz has the log-probabilities of Marian's rules", "[golden]") {
  const test::TemporaryDirectory folder;
  const auto run = imported(test::tiny_package(folder), folder / "run");
  const auto model = inference_model(run.model);
  const auto worker = model->make_worker(
      {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()});
  const auto cases = test::read_json(test::cases("golden/interop_tiny/expected.json")).at("cases");
  REQUIRE_FALSE(cases.empty());
  for (const auto& one : cases) {
    auto source = one.at("src_ids").get<Ids>(), target = one.at("trg_ids").get<Ids>();
    source.push_back(static_cast<std::int32_t>(run.vocabulary.source.special().eos));
    target.push_back(static_cast<std::int32_t>(run.vocabulary.target.special().eos));
    const std::span<const std::int32_t> sources(source), targets(target);
    const auto found = worker->log_probs({&sources, 1}, {&targets, 1})[0];
    const auto expected = one.at("rules_marian").get<std::vector<double>>();
    REQUIRE(found.size() == expected.size());
    for (std::size_t t = 0; t < found.size(); ++t)
      CHECK(found[t] == test::Approx(expected[t]).margin(1e-5).epsilon(0));
  }
}

TEST_CASE("interop_tiny's model.npz becomes, but for its positions, CTranslate2's own model.bin",
          "[golden]") {
  const test::TemporaryDirectory folder;
  auto run = imported(test::tiny_package(folder), folder / "run");
  // CTranslate2's own converter writes the approximation of gelu for every version of Marian.
  if (run.options.model.activation == Activation::gelu)
    run.options.model.activation = Activation::gelu_sigmoid;
  export_ctranslate2(run, folder / "ct2");
  const auto found = read_ctranslate2_file(folder / "ct2/model.bin"),
             expected =
                 read_ctranslate2_file(test::cases("golden/interop_tiny/ctranslate2/model.bin"));
  CHECK(found.aliases == expected.aliases);
  REQUIRE(found.variables.size() == expected.variables.size());
  // CTranslate2 writes 2048 positions with the paper's frequencies, and means the first head's
  // alignments, where those of a run are the mean of all heads (0).
  const std::set<std::string> other{"decoder/position_encodings/encodings",
                                    "decoder/alignment_heads"};
  for (const auto& [name, variable] : expected.variables) {
    CAPTURE(name);
    REQUIRE(found.variables.contains(name));
    if (!other.contains(name)) CHECK(found.variables.at(name) == variable);
  }
  const auto& heads = found.variables.at("decoder/alignment_heads");
  CHECK(heads.bytes.view() == std::string(size_of(heads.type), '\0'));
}

}  // namespace marian_steps_test

#include "dragoman/convert/ctranslate2.h"

#include "convert/foreign_case.h"
#include "convert/sentencepiece_of.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/core/file.h"
#include "dragoman/search/forwarding_scorer.h"

namespace ctranslate2_golden_test {

using namespace dragoman;
namespace fs = std::filesystem;
using test::Ids;

namespace {

Vocabulary separate(const fs::path& source, const fs::path& target) {
  return {.source = Tokenizer::load(source), .target = Tokenizer::load(target), .joint = false};
}

/// Forbids EOS at the first step: CTranslate2 writes at least one token unless told otherwise.
class NotEmptyScorer : public ForwardingScorer {
 public:
  NotEmptyScorer(std::unique_ptr<NextTokenScorer> scorer, std::int64_t eos)
      : ForwardingScorer(std::move(scorer)), eos_(eos) {}

  void advance(std::span<const std::int64_t> tokens) override {
    ++steps_;
    ForwardingScorer::advance(tokens);
  }
  Logits logits(std::int64_t first, std::int64_t count) override {
    auto logits = ForwardingScorer::logits(first, count);
    if (steps_ > 1) return logits;
    std::visit(
        [&](auto& rows) {
          rows.chunk_sums = nullptr;  // the softmax leaves EOS out
          for (std::int64_t row = 0; row < rows.rows; ++row)
            forbid_logit(rows.row(row), rows.maxima_of_row(row), static_cast<std::size_t>(eos_));
        },
        logits);
    return logits;
  }

 private:
  std::int64_t eos_;
  int steps_ = 0;
};

/// A model of CTranslate2 read as a run.
struct ImportedModel {
  explicit ImportedModel(const CTranslate2Source& source)
      : run(imported(source, made / "run")),
        model(inference_model(run.model)),
        worker(model->make_worker({.source = run.vocabulary.source.special(),
                                   .target = run.vocabulary.target.special()})) {}

  /// The best hypotheses without their EOS, by CTranslate2's rules.
  std::vector<Hypothesis> found(const Ids& source, std::int64_t beam, double length_penalty,
                                std::int64_t longest) const {
    SearchOptions search;
    search.greedy = beam == 1;
    search.beam_size = search.n_best = beam;
    search.length_penalty_kind = LengthPenaltyKind::power;
    search.length_penalty = length_penalty;
    search.early_stopping = EarlyStopping::beam;
    search.strict_beam = true;
    search.unknown = UnknownRule::keep;
    const std::span<const std::int32_t> view(source);
    NotEmptyScorer scorer(worker->start({&view, 1}, search), run.vocabulary.target.special().eos);
    const std::vector<std::int64_t> limits{longest};
    return run_search(scorer, {.max_lengths = limits, .special = run.vocabulary.target.special()},
                      search)[0];
  }

  test::TemporaryDirectory made;
  LoadedRun run;
  std::shared_ptr<const InferenceModel> model;
  std::unique_ptr<InferenceWorker> worker;

 private:
  static LoadedRun imported(const CTranslate2Source& source, const fs::path& run_dir) {
    import_ctranslate2(source, run_dir);
    return load_run(run_dir);
  }
};

/// The number types that golden_ctranslate2.json has answers for.
std::vector<std::string> precisions_of(const nlohmann::json& golden) {
  const std::string ending = " cases";
  std::vector<std::string> precisions;
  for (const auto& [key, value] : golden.items())
    if (key.ends_with(ending)) precisions.push_back(key.substr(0, key.size() - ending.size()));
  return precisions;
}

/// Calls with the answers for each precision, and the model in it.
template <typename Check>
void for_precisions(const Check& check) {
  int count = 0;
  for (const auto& folder : test::foreign_folders("marian")) {
    if (!fs::exists(folder / "golden_ctranslate2.json")) continue;
    const auto golden = test::read_json(folder / "golden_ctranslate2.json");
    for (const auto& precision : precisions_of(golden)) {
      CAPTURE(folder.filename().string(), precision);
      const ImportedModel model(
          {.model_dir = folder / ("ctranslate2-" + precision),
           .tokenizers = separate(folder / "source.spm", folder / "target.spm")});
      // The start token counts there, not here.
      const auto longest =
          test::read_json(folder / "golden.json").at("max_length").get<std::int64_t>() - 1;
      auto cases = golden.at(precision + " cases");
      for (auto& one : cases) one["longest"] = longest;
      check(model, golden.at(precision + " forced"), cases);
      ++count;
    }
  }
  CHECK(count > 0);
}

Ids without_eos(const Hypothesis& hypothesis, const Tokenizer& tokenizer) {
  auto ids = hypothesis.ids;
  if (!ids.empty() && ids.back() == tokenizer.special().eos) ids.pop_back();
  return ids;
}

}  // namespace

TEST_CASE("models of CTranslate2 in each precision give the log-probabilities of their weights",
          "[golden]") {
  for_precisions([](const ImportedModel& model, nlohmann::json pairs, const nlohmann::json&) {
    for (const char* by : {"reference", "engine"}) {
      for (auto& pair : pairs) pair["logprobs"] = pair.at(by);
      test::check_log_probs(*model.worker, pairs);
    }
  });
}

TEST_CASE("files of CTranslate2 have the variables and aliases that its own reader found",
          "[golden]") {
  int files = 0;
  for (const auto& folder : test::foreign_folders("marian")) {
    if (!fs::exists(folder / "golden_ctranslate2.json")) continue;
    const auto golden = test::read_json(folder / "golden_ctranslate2.json");
    for (const auto& precision : precisions_of(golden)) {
      CAPTURE(folder.filename().string(), precision);
      const auto file = read_ctranslate2_file(folder / ("ctranslate2-" + precision) / "model.bin");
      CHECK(file.variables.size() == golden.at(precision + " variables").get<std::size_t>());
      CHECK(nlohmann::json(file.aliases) == golden.at(precision + " aliases"));
      ++files;
    }
  }
  CHECK(files > 0);
}

TEST_CASE("models of CTranslate2 in each precision translate as its engine does", "[golden]") {
  for_precisions([](const ImportedModel& model, const nlohmann::json&, const nlohmann::json& all) {
    int compared = 0;
    for (const auto& one : all) {
      const auto source = one.at("input_ids").get<Ids>();
      CAPTURE(one.at("input_ids").dump());
      const auto check = [&](const Hypothesis& found, const nlohmann::json& ids, double score) {
        CHECK(without_eos(found, model.run.vocabulary.target) == ids.get<Ids>());
        CHECK(found.score == test::Approx(score).margin(test::foreign_tolerance).epsilon(0));
      };
      if (source.size() == 1) continue;  // CTranslate2 gives nothing for an empty source
      const auto longest = one.at("longest").get<std::int64_t>();
      auto greedy = model.found(source, 1, 1.0, longest);
      greedy[0].score /= static_cast<double>(greedy[0].ids.size());
      check(greedy[0], one.at("greedy_ids"), one.at("greedy_score").get<double>());
      const std::string prefix = "beam";
      const auto key = test::numbered_key(one, prefix);
      REQUIRE_FALSE(key.empty());
      const auto& expected = one.at(key);
      const auto beam = model.found(source, std::stoll(key.substr(prefix.size())), 1.0, longest);
      REQUIRE(beam.size() == expected.size());
      for (std::size_t i = 0; i < beam.size(); ++i)
        check(beam[i], expected[i].at("ids"), expected[i].at("score").get<double>());
      ++compared;
    }
    REQUIRE(compared > 0);
  });
}

TEST_CASE("a model of Marian that CTranslate2 has converted gives the engine's own numbers",
          "[golden]") {
  const auto folder = test::cases("golden/interop_tiny");
  const auto tokens = test::read_json(folder / "ctranslate2" / "shared_vocabulary.json")
                          .get<std::vector<std::string>>();
  const auto tokenizer = Tokenizer::from_bytes(test::sentencepiece_of(tokens), "tokens");
  const ImportedModel model(
      {.model_dir = folder / "ctranslate2",
       .tokenizers = Vocabulary{.source = tokenizer, .target = tokenizer, .joint = true}});
  const auto expected = test::read_json(folder / "expected.json");
  std::int64_t longest = 0;
  for (const auto& one : expected.at("cases"))
    longest = std::max(longest, std::ssize(one.at("greedy")));
  REQUIRE(longest > 0);
  for (const auto& one : expected.at("cases")) {
    auto source = one.at("src_ids").get<Ids>();
    auto target = one.at("trg_ids").get<Ids>();
    source.push_back(static_cast<std::int32_t>(model.run.vocabulary.source.special().eos));
    target.push_back(static_cast<std::int32_t>(model.run.vocabulary.target.special().eos));
    const std::span<const std::int32_t> sources(source), targets(target);
    const auto found = model.worker->log_probs({&sources, 1}, {&targets, 1})[0];
    for (const char* by : {"ctranslate2", "rules_ctranslate2"}) {
      const auto log_probs = one.at(by).get<std::vector<double>>();
      REQUIRE(found.size() == log_probs.size());
      for (std::size_t t = 0; t < found.size(); ++t)
        CHECK(found[t] == test::Approx(log_probs[t]).margin(1e-5).epsilon(0));
    }
    const auto greedy = one.at("greedy").get<std::vector<std::string>>();
    const auto length = std::ssize(greedy);
    const auto score = test::Approx(one.at("greedy_score").get<double>())
                           .margin(1e-5 * static_cast<double>(length + 1))
                           .epsilon(0);
    auto best = model.found(source, 1, 0.0, length + 1)[0];
    // The longest may be cut there by the engine's limit.
    if (length == longest && !(best.finished && best.log_prob == score))
      best = model.found(source, 1, 0.0, length)[0];
    std::vector<std::string> pieces;
    for (const auto id : without_eos(best, model.run.vocabulary.target))
      pieces.push_back(tokens[static_cast<std::size_t>(id)]);
    CHECK(pieces == greedy);
    CHECK(best.log_prob == score);
  }
}

}  // namespace ctranslate2_golden_test

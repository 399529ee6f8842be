// Every case of golden/sacrebleu_golden.json: what sacreBLEU 2.6.0 gives for the same text.
#include "dragoman/core/utf8.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/metrics/score_line.h"
#include "dragoman/metrics/significance.h"
#include "dragoman/metrics/ter.h"
#include "dragoman/metrics/unicode.h"
#include "support/shared.h"

#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

namespace sacrebleu_golden_test {

using namespace dragoman;
using nlohmann::json;

namespace {

constexpr double exact = 1e-9;
constexpr double single = 1e-6;

/// Calls `check` for each golden case of `kind`; fails if there are none, or one of a kind that no
/// test takes.
template <typename Check>
void for_each_case(const std::string& kind, Check check) {
  static const std::set<std::string> kinds = {"corpus", "sentence", "tokenize", "confidence",
                                              "paired"};
  int count = 0;
  const auto document = test::read_json(test::cases("golden/sacrebleu_golden.json"));
  for (const auto& example : document.at("cases")) {
    CAPTURE(example.at("id").get<std::string>(), example.at("note").get<std::string>());
    REQUIRE(kinds.contains(example.at("kind").get<std::string>()));
    if (example.at("kind") != kind) continue;
    check(example);
    ++count;
  }
  CHECK(count > 0);
}

/// Calls `check` for each run of the golden cases of BLEU; fails if there are none.
template <typename Check>
void for_each_run(Check check) {
  int count = 0;
  const auto document = test::read_json(test::cases("golden/transformer.json"));
  for (const auto& [name, bleu] : document.at("cases").items()) {
    if (!name.starts_with("bleu")) continue;
    for (const auto& run : bleu.at("runs")) {
      CAPTURE(name, run.dump());
      check(run);
      ++count;
    }
  }
  CHECK(count > 0);
}

BleuOptions bleu_options(const json& options) {
  BleuOptions out;
  out.tokenizer = tokenizer_named(options.value("tokenize", "13a"));
  out.lowercase = options.value("lowercase", false);
  out.smoothing = smoothing_named(options.value("smooth_method", "exp"));
  if (options.contains("smooth_value") && !options["smooth_value"].is_null())
    out.smooth_value = options["smooth_value"].get<double>();
  out.max_order = options.value("max_ngram_order", std::size_t{4});
  out.effective_order = options.value("effective_order", false);
  return out;
}

ChrfOptions chrf_options(const json& options) {
  return {.character_order = options.value("char_order", std::size_t{6}),
          .word_order = options.value("word_order", std::size_t{0}),
          .beta = options.value("beta", std::size_t{2}),
          .lowercase = options.value("lowercase", false),
          .white_space = options.value("whitespace", false),
          .epsilon = options.value("eps_smoothing", false)};
}

TerOptions ter_options(const json& options) {
  return {.normalized = options.value("normalized", false),
          .no_punctuation = options.value("no_punct", false),
          .asian_support = options.value("asian_support", false),
          .case_sensitive = options.value("case_sensitive", false)};
}

std::unique_ptr<Metric> metric_of(const json& example) {
  const auto& options = example.at("options");
  const auto metric = example.at("metric").get<std::string>();
  if (metric == "BLEU") return std::make_unique<Bleu>(bleu_options(options));
  if (metric == "CHRF") return std::make_unique<Chrf>(chrf_options(options));
  if (metric == "TER") return std::make_unique<Ter>(ter_options(options));
  throw std::runtime_error("golden/sacrebleu_golden.json: no test of the metric " + metric);
}

std::vector<ReferenceStream> streams_of(const json& references) {
  std::vector<ReferenceStream> streams;
  for (const auto& lines : references) {
    ReferenceStream stream;
    for (const auto& line : lines)
      stream.push_back(line.is_null() ? std::nullopt : std::optional(line.get<std::string>()));
    streams.push_back(stream);
  }
  return streams;
}

void check_bleu_parts(const BleuScore& score, const json& expected) {
  for (const char* part : {"counts", "totals", "precisions"})
    REQUIRE(expected.at(part).size() == score.precisions.size());
  for (std::size_t n = 0; n < score.precisions.size(); ++n) {
    CAPTURE(n);
    CHECK(score.correct[n] == expected.at("counts")[n].get<double>());
    CHECK(score.total[n] == expected.at("totals")[n].get<double>());
    CHECK(std::abs(score.precisions[n] - expected.at("precisions")[n].get<double>()) <= exact);
  }
  CHECK(std::abs(score.brevity_penalty - expected.at("bp").get<double>()) <= exact);
  CHECK(score.hypothesis_length == expected.at("sys_len"));
  CHECK(score.reference_length == expected.at("ref_len"));
  CHECK(std::abs(score.ratio() - expected.at("ratio").get<double>()) <= exact);
}

void check_signature(const Signature& signature, const json& expected) {
  CHECK(signature.text() == expected.at("signature").get<std::string>());
  CHECK(signature.short_text() == expected.at("short_signature").get<std::string>());
}

/// Score, parts, signatures and the printed line of a `corpus` or `sentence` case.
void check_score(const json& example) {
  const auto metric = metric_of(example);
  const auto hypotheses = example.at("hyps").get<std::vector<std::string>>();
  const auto statistics = collect_statistics(*metric, hypotheses, streams_of(example.at("refs")));
  const auto& expected = example.at("expected");
  const auto sums = statistics.sum();
  const double score = metric->score(std::span<const double>(sums));
  CHECK(std::abs(score - expected.at("score").get<double>()) <= exact);
  if (const auto* bleu = dynamic_cast<const Bleu*>(metric.get()))
    check_bleu_parts(bleu->evaluate(sums), expected);
  if (dynamic_cast<const Chrf*>(metric.get()) != nullptr)
    CHECK(metric->name() == expected.at("name").get<std::string>());
  if (dynamic_cast<const Ter*>(metric.get()) != nullptr) {
    CHECK(sums[0] == expected.at("num_edits").get<double>());
    CHECK(std::abs(sums[1] - expected.at("ref_length").get<double>()) <= exact);
  }
  const Signature signature({.references = statistics.references()}, metric->signature_fields());
  check_signature(signature, expected);
  CHECK(score_line({.name = metric->name(),
                    .signature = signature.text(),
                    .score = score,
                    .interval = {},
                    .details = metric->details(sums)},
                   2) == expected.at("line").get<std::string>());
}

void check_interval(const std::optional<ConfidenceInterval>& interval, const json& expected) {
  REQUIRE(interval.has_value() == !expected.at("mean").is_null());
  if (!interval) return;
  CHECK(std::abs(interval->mean - expected.at("mean").get<double>()) <= single);
  CHECK(std::abs(interval->half_width - expected.at("ci").get<double>()) <= single);
}

}  // namespace

TEST_CASE("tokens match sacreBLEU", "[golden]") {
  for_each_case("tokenize", [](const json& example) {
    const auto line = utf8::decode_all(example.at("input").get<std::string>());
    const auto tokenizer = tokenizer_named(example.at("options").at("tokenize").get<std::string>());
    std::vector<std::string> tokens;
    for (const auto& token : tokenize(unicode::strip_right(line), tokenizer))
      tokens.push_back(utf8::encode_all(token));
    CHECK(tokens == example.at("expected").at("tokens").get<std::vector<std::string>>());
  });
}

TEST_CASE("corpus scores, parts and signatures match sacreBLEU", "[golden]") {
  for_each_case("corpus", check_score);
}

TEST_CASE("sentence scores match sacreBLEU", "[golden]") { for_each_case("sentence", check_score); }

TEST_CASE("bootstrap intervals match sacreBLEU", "[golden]") {
  for_each_case("confidence", [](const json& example) {
    const auto metric = metric_of(example);
    const auto hypotheses = example.at("hyps").get<std::vector<std::string>>();
    const auto statistics = collect_statistics(*metric, hypotheses, streams_of(example.at("refs")));
    const auto& options = example.at("options");
    const ResamplingOptions resampling{.samples = options.at("n_bootstrap"),
                                       .seed = options.at("seed")};
    const auto interval = bootstrap_interval(*metric, statistics, resampling);
    const auto& expected = example.at("expected");
    check_interval(interval, expected);
    const Signature signature({.references = statistics.references(),
                               .bootstrap = resampling.samples,
                               .seed = resampling.seed},
                              metric->signature_fields());
    check_signature(signature, expected);
    const auto sums = statistics.sum();
    const double score = metric->score(std::span<const double>(sums));
    CHECK(std::abs(score - expected.at("score").get<double>()) <= exact);
    CHECK(score_line({.name = metric->name(),
                      .signature = signature.text(),
                      .score = score,
                      .interval = interval,
                      .details = metric->details(sums)},
                     2) == expected.at("line").get<std::string>());
  });
}

TEST_CASE("paired tests match sacreBLEU", "[golden]") {
  for_each_case("paired", [](const json& example) {
    const auto metric = metric_of(example);
    const auto references = streams_of(example.at("refs"));
    const auto& systems = example.at("systems");
    const auto baseline = collect_statistics(
        *metric, systems.at("baseline").get<std::vector<std::string>>(), references);
    const auto system = collect_statistics(
        *metric, systems.at("system").get<std::vector<std::string>>(), references);
    const auto& options = example.at("options");
    const std::int64_t draws = options.at("n_samples");
    const std::int64_t intervals = options.at("n_ar_confidence");
    ResamplingOptions resampling{.samples = draws, .trials = draws, .seed = options.at("seed")};
    PairedResult result;
    if (options.at("test") == "bs") {
      result = paired_bootstrap(*metric, baseline, system, resampling);
    } else {
      REQUIRE(options.at("test") == "ar");
      if (intervals > 0) resampling.samples = intervals;
      result = paired_randomization(*metric, baseline, system, resampling,
                                    intervals > 0 ? WithIntervals::yes : WithIntervals::no);
    }
    const auto& expected = example.at("expected");
    CHECK(expected.at("baseline").at("p_value").is_null());
    CHECK(std::abs(result.p_value - expected.at("system").at("p_value").get<double>()) <= single);
    check_interval(result.baseline, expected.at("baseline"));
    check_interval(result.system, expected.at("system"));
    for (const auto& [name, statistics] : {std::pair{"baseline", &baseline}, {"system", &system}}) {
      const auto sums = statistics->sum();
      const double score = metric->score(std::span<const double>(sums));
      CHECK(std::abs(score - expected.at(name).at("score").get<double>()) <= exact);
    }
    ScoringFacts facts{.references = system.references(), .seed = resampling.seed};
    if (result.system) facts.bootstrap = resampling.samples;
    if (options.at("test") == "ar") facts.randomization = draws;
    CHECK(Signature(facts, metric->signature_fields()).text() ==
          expected.at("signature").get<std::string>());
    CHECK(metric->name() == expected.at("name").get<std::string>());
  });
}

TEST_CASE("BLEU agrees with the definition for tokens split at spaces", "[golden]") {
  for_each_run([](const json& run) {
    const auto orders = run.at("precisions").size();
    const auto score =
        corpus_bleu(run.at("hyps").get<std::vector<std::string>>(),
                    run.at("refs").get<std::vector<std::vector<std::string>>>(),
                    {.tokenizer = BleuTokenizer::none,
                     .smoothing = smoothing_named(run.at("smooth").get<std::string>()),
                     .max_order = orders});
    REQUIRE(score.precisions.size() == orders);
    CHECK(std::abs(score.score - run.at("score").get<double>()) <= exact);
    CHECK(std::abs(score.brevity_penalty - run.at("bp").get<double>()) <= exact);
    for (std::size_t n = 0; n < score.precisions.size(); ++n) {
      CHECK(std::abs(score.precisions[n] - run.at("precisions")[n].get<double>()) <= exact);
      CHECK(score.correct[n] == run.at("matches")[n].get<double>());
      CHECK(score.total[n] == run.at("totals")[n].get<double>());
    }
    CHECK(score.hypothesis_length == run.at("sys_len"));
    CHECK(score.reference_length == run.at("ref_len"));
  });
}

}  // namespace sacrebleu_golden_test

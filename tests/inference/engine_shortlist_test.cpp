#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/search.h"
#include "inference/small_engine.h"
#include "support/catch.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace engine_shortlist_test {

using namespace dragoman;
using test::Approx;
using test::Ids;
using test::model_of;
using test::sentences;
using test::small_options;
using test::views;

namespace {

/// 27 is a prime: neighbours have very different lists.
std::shared_ptr<Shortlist> shortlist_of(std::int64_t per_piece) {
  const VocabularySizes sizes{test::pieces, test::pieces};
  std::vector<LexicalEntry> entries;
  for (std::int32_t source = 0; source < test::pieces; ++source)
    for (std::int32_t k = 0; k < per_piece; ++k)
      entries.push_back(
          {source, static_cast<std::int32_t>((source * 27 + k) % test::pieces), 1.0F});
  return std::make_shared<Shortlist>(make_shortlist({.sizes = sizes}, std::move(entries)));
}

std::set<std::int32_t> allowed_of(const Shortlist& shortlist, const Ids& source) {
  PieceSet allowed(test::pieces);
  shortlist.allow(source, allowed);
  const auto pieces = allowed.pieces();
  return {pieces.begin(), pieces.end()};
}

using Found = std::vector<std::vector<Hypothesis>>;

Found found_by(InferenceWorker& worker, const std::vector<Ids>& sources,
               const SearchOptions& options, const std::vector<Ids>& prefixes = {}) {
  const auto given = views(sources);
  const auto scorer = worker.start(given, options, prefixes);
  const std::vector<std::int64_t> limits(sources.size(), 12);
  std::vector<std::uint64_t> streams;
  for (const auto& source : sources) streams.push_back(source.size());
  return run_search(*scorer, {.max_lengths = limits, .prefixes = prefixes, .streams = streams},
                    options);
}

void check_same(const Found& found, const Found& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      CAPTURE(i, k);
      CHECK(found[i][k].ids == expected[i][k].ids);
      CHECK(found[i][k].score == expected[i][k].score);
      CHECK(found[i][k].log_prob == expected[i][k].log_prob);
    }
  }
}

std::vector<SearchOptions> all_searches() {
  return {{.beam_size = 3, .n_best = 3},
          {.greedy = true},
          {.n_best = 4, .sample = true},
          {.n_best = 2, .no_repeat_ngram = 1},
          {.n_best = 2, .sample = true, .top_k = 5, .top_p = 0.9},
          {.coverage_penalty = 0.3}};
}

}  // namespace

TEST_CASE("a shortlist of all pieces changes no bit of any search", "[property]") {
  const auto type = GENERATE(WeightType::float32, WeightType::bf16, WeightType::int8);
  auto options = small_options();
  options.output_bias = true;
  const auto model = inference_model(model_of(options), {.precision = precision_with(type)});
  REQUIRE(model->takes_shortlist());
  const auto sources = sentences({7, 2, 12, 5}, 21);
  const std::vector<Ids> prefixes{{5, 6, 7}, {8, 9}, {13, 14, 15, 16}, {20, 21, 22}};
  const auto whole = model->make_worker({});
  const auto few = model->make_worker({.shortlist = shortlist_of(test::pieces)});
  for (const auto& search : all_searches()) {
    check_same(found_by(*few, sources, search), found_by(*whole, sources, search));
    check_same(found_by(*few, sources, search, prefixes),
               found_by(*whole, sources, search, prefixes));
  }
}

TEST_CASE("the logits of a shortlist's tokens are those of the whole generator, bit for bit",
          "[property]") {
  const auto type = GENERATE(WeightType::float32, WeightType::bf16, WeightType::int8);
  const auto model =
      inference_model(model_of(small_options()), {.precision = precision_with(type)});
  const auto sources = sentences({4, 6, 3}, 22);
  const auto given = views(sources);
  const auto shortlist = shortlist_of(3);
  const auto whole = model->make_worker({}), few = model->make_worker({.shortlist = shortlist});
  const auto all = whole->start(given, {}), some = few->start(given, {});
  const std::vector<std::int64_t> bos(3, 2);
  all->advance(bos);
  some->advance(bos);
  const auto expected = std::get<LogitsOf<float>>(all->logits(0, 3));
  const auto found = std::get<LogitsOf<float>>(some->logits(0, 3));
  REQUIRE(found.vocab_size == dragoman::logits_block);
  for (std::int64_t row = 0; row < 3; ++row) {
    const auto allowed = allowed_of(*shortlist, sources[static_cast<std::size_t>(row)]);
    const auto tokens = found.tokens_of_row(row);
    REQUIRE(std::ranges::equal(tokens, allowed));
    const auto values = found.row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(row, i);
      if (i < tokens.size())
        CHECK(values[i] == expected.row(row)[static_cast<std::size_t>(tokens[i])]);
      else
        CHECK(values[i] < -1e29F);
    }
  }
}

TEST_CASE("translations consist of their own sentence's shortlist, and of no other's",
          "[property]") {
  const auto model = inference_model(model_of(small_options()));
  const auto sources = sentences({4, 6, 3, 5}, 23);
  const auto shortlist = shortlist_of(3);
  const auto worker = model->make_worker({.shortlist = shortlist});
  for (const auto& search : all_searches()) {
    const auto found = found_by(*worker, sources, search);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto allowed = allowed_of(*shortlist, sources[i]);
      for (const auto& hypothesis : found[i])
        for (const auto id : hypothesis.ids) CHECK(allowed.contains(id));
    }
  }
}

TEST_CASE("no bit of a translation depends on the other sentences of its batch", "[property]") {
  const auto model =
      inference_model(model_of(small_options()), {.precision = SearchPrecision::int8});
  const auto sources = sentences({4, 6, 3, 5}, 24);
  const auto worker = model->make_worker({.shortlist = shortlist_of(4)});
  for (const auto& search : all_searches()) {
    const auto together = found_by(*worker, sources, search);
    Found alone;
    for (const auto& source : sources)
      alone.push_back(std::move(found_by(*worker, {source}, search).front()));
    check_same(together, alone);
  }
}

TEST_CASE("a log-probability is that of the softmax over the shortlist", "[unit]") {
  const auto model = inference_model(model_of(small_options()));
  const auto sources = sentences({4}, 25);
  const auto given = views(sources);
  const auto shortlist = shortlist_of(3);
  const auto whole = model->make_worker({});
  const auto all = whole->start(given, {});
  all->advance(std::vector<std::int64_t>{2});
  const auto logits = std::get<LogitsOf<float>>(all->logits(0, 1)).row(0);
  double sum = 0.0, largest = -1e9;
  for (const auto token : allowed_of(*shortlist, sources[0])) {
    const auto logit = static_cast<double>(logits[static_cast<std::size_t>(token)]);
    sum += std::exp(logit);
    if (token != 0 && token != 2) largest = std::max(largest, logit);
  }
  const auto few = model->make_worker({.shortlist = shortlist});
  const auto scorer = few->start(given, {});
  const std::vector<std::int64_t> limit{1};
  const auto found = run_search(*scorer, {.max_lengths = limit}, {.greedy = true});
  CHECK(found[0][0].log_prob == Approx(largest - std::log(sum)).epsilon(1e-5));
}

TEST_CASE("forced tokens are allowed although no list has them", "[property]") {
  const auto model = inference_model(model_of(small_options()));
  const auto sources = sentences({4, 6}, 26);
  const auto shortlist = shortlist_of(1);
  const auto worker = model->make_worker({.shortlist = shortlist});
  std::vector<Ids> prefixes;
  for (const auto& source : sources) {
    const auto allowed = allowed_of(*shortlist, source);
    auto& prefix = prefixes.emplace_back();
    for (std::int32_t token = 4; prefix.size() < 3; ++token)
      if (!allowed.contains(token)) prefix.push_back(token);
  }
  for (const auto& search : all_searches()) {
    const auto found = found_by(*worker, sources, search, prefixes);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const auto& hypothesis : found[i]) {
        CHECK(std::ranges::equal(std::span(hypothesis.ids).first(3), prefixes[i]));
        CHECK(std::isfinite(hypothesis.score));
        CHECK(hypothesis.log_prob > -1e6);
      }
  }
}

TEST_CASE("an ensemble shares its shortlist", "[property]") {
  const auto one = inference_model(model_of(small_options(), 1)),
             two = inference_model(model_of(small_options(), 2));
  const auto sources = sentences({4, 6, 3}, 27);
  const auto given = views(sources);
  const auto found_with = [&](const std::shared_ptr<const Shortlist>& shortlist) {
    const auto first = one->make_worker({.shortlist = shortlist}),
               second = two->make_worker({.shortlist = shortlist});
    std::vector<std::unique_ptr<NextTokenScorer>> members;
    members.push_back(first->start(given, {}));
    members.push_back(second->start(given, {}));
    EnsembleScorer scorer(std::move(members));
    const std::vector<std::int64_t> limits(3, 10);
    return run_search(scorer, {.max_lengths = limits}, {.beam_size = 3, .n_best = 3});
  };
  check_same(found_with(shortlist_of(test::pieces)), found_with(nullptr));
  const auto shortlist = shortlist_of(3);
  const auto found = found_with(shortlist);
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const auto& hypothesis : found[i]) {
      CHECK(std::isfinite(hypothesis.score));
      for (const auto id : hypothesis.ids) CHECK(allowed_of(*shortlist, sources[i]).contains(id));
    }
}

TEST_CASE("models by modules take no shortlist", "[unit]") {
  CHECK_FALSE(inference_model(model_of(small_options()), {.cache = false})->takes_shortlist());
}

}  // namespace engine_shortlist_test

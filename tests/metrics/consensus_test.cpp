#include "dragoman/metrics/consensus.h"

#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/metrics/ngram_table.h"
#include "dragoman/metrics/ngrams.h"
#include "support/catch.h"

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace consensus_test {

using namespace dragoman;

namespace {

using Samples = std::vector<std::string>;

double sentence_score(const Metric& metric, std::string_view candidate,
                      std::string_view reference) {
  const std::array references{reference};
  return metric.score(std::span<const double>(metric.segment(candidate, references)));
}

/// Each sample against each, by the public metrics.
Consensus plain_consensus(const Samples& samples, Utility utility) {
  const Chrf chrf;
  const Bleu bleu({.effective_order = true});
  const Metric& metric = utility == Utility::chrf ? static_cast<const Metric&>(chrf)
                                                  : static_cast<const Metric&>(bleu);
  Consensus best{.sample = 0, .utility = -1.0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double sum = 0.0;
    for (const auto& other : samples) sum += sentence_score(metric, samples[i], other);
    const double mean = sum / static_cast<double>(samples.size());
    if (mean > best.utility) best = {i, mean};
  }
  return best;
}

/// Sentences that share many words; some are equal, some empty.
Samples random_samples(std::size_t count, std::uint32_t seed) {
  const std::vector<std::string> words{"der",  "Hund", "läuft", "über", "die",    "Straße",
                                       "und",  "die",  "die",   "日本", "bellt.", "sehr",
                                       "laut", ",",    "ist",   "U.S."};
  std::mt19937 random(seed);
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random() % 4 == 0) {
      samples.push_back(samples[random() % i]);
      continue;
    }
    auto& text = samples.emplace_back();
    const auto length = random() % 9;
    for (std::size_t j = 0; j < length; ++j)
      text += (text.empty() ? "" : " ") + words[random() % words.size()];
  }
  return samples;
}

/// Ways to say one sentence, as a model's samples are: in each, every third word is another one.
Samples similar_samples(std::size_t count) {
  const std::vector<std::string> words{"a",   "brown",  "dog",  "with", "two",  "small", "black",
                                       "is",  "jumps",  "over", "the",  "high", "fence", "beside",
                                       "old", "houses", "and",  "runs", "."};
  std::mt19937 random(1);
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    auto& text = samples.emplace_back();
    for (const auto& word : words)
      text +=
          (text.empty() ? "" : " ") + (random() % 3 == 0 ? words[random() % words.size()] : word);
  }
  return samples;
}

template <typename Work>
double milliseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

TEST_CASE("the consensus is, to the bit, that of comparing each pair by the public metric",
          "[property]") {
  for (const auto utility : {Utility::chrf, Utility::bleu})
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
      const auto samples = random_samples(1 + seed % 17, seed);
      CAPTURE(utility == Utility::chrf, samples);
      const auto expected = plain_consensus(samples, utility), found = consensus(samples, utility);
      CHECK(found.sample == expected.sample);
      CHECK(found.utility == expected.utility);
    }
}

TEST_CASE("the sample that most others resemble is chosen, of equal ones the first", "[unit]") {
  const Samples samples{"a very other thing", "the dog runs home", "the bird flies away",
                        "the dog runs home",  "the cat sleeps",    "the dog runs home"};
  for (const auto utility : {Utility::chrf, Utility::bleu}) {
    const auto best = consensus(samples, utility);
    CHECK(best.sample == 1);
    CHECK(best.utility > 50.0);
  }
  CHECK(consensus(Samples{"", ""}, Utility::chrf).sample == 0);
  CHECK(consensus(Samples{"alone"}, Utility::chrf).utility == test::Approx(100.0));
}

TEST_CASE("choosing among 64 samples beside comparing each pair", "[.benchmark]") {
  const auto samples = similar_samples(64);
  for (const auto utility : {Utility::chrf, Utility::bleu})
    for (int pair = 0; pair < 3; ++pair) {
      Consensus plain, found;
      const auto slow = milliseconds([&] { plain = plain_consensus(samples, utility); });
      const auto fast = milliseconds([&] { found = consensus(samples, utility); });
      CHECK(found.sample == plain.sample);
      WARN((utility == Utility::chrf ? "chrF: " : "BLEU: ")
           << slow << " ms by pairs, " << fast << " ms by the table, ratio " << slow / fast);
    }
}

TEST_CASE("a table of n-grams has the clipped matches of each pair", "[property]") {
  std::mt19937 random(3);
  std::vector<std::u32string> texts;
  for (std::size_t i = 0; i < 12; ++i) {
    auto& text = texts.emplace_back(random() % 30, U'a');
    for (auto& symbol : text) symbol = U'a' + static_cast<char32_t>(random() % 3);
  }
  constexpr std::size_t orders = 5;
  NgramTable table(texts, orders);
  std::vector<std::int64_t> matches;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(table.length(i) == texts[i].size());
    table.match_all(i, matches);
    for (std::size_t j = 0; j < texts.size(); ++j) {
      const std::array<std::u32string_view, 1> reference{texts[j]};
      const auto expected = clipped_matches(texts[i], reference, orders);
      CHECK(std::equal(expected.begin(), expected.end(),
                       matches.begin() + static_cast<std::ptrdiff_t>(j * orders)));
    }
  }
}

}  // namespace consensus_test

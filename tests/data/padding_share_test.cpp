#include "dragoman/data/buckets.h"

#include "dragoman/config/run_options.h"
#include "dragoman/text/lines.h"
#include "support/padding.h"
#include "support/shared.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

namespace dragoman::padding_share_test {

namespace {

Example pair_with(std::size_t source, std::size_t target) {
  return {.source_ids = std::vector<std::int32_t>(source, 4),
          .target_ids = std::vector<std::int32_t>(target, 4)};
}

/// The share of cells without a token in an epoch's batches.
double padding_share(const std::vector<Example>& examples, std::int64_t batch_tokens) {
  std::size_t tokens = 0;
  for (const auto& example : examples)
    tokens += example.source_ids.size() + example.target_ids.size();
  std::int64_t padding = 0;
  for (const auto& batch : plan_batches(examples, {.tokens = batch_tokens}, 1))
    padding += test::padding_positions(examples, batch);
  const auto empty = static_cast<double>(padding);
  return empty / (empty + static_cast<double>(tokens));
}

/// The share that batches in the order of the text would have.
double unsorted_share(const std::vector<Example>& examples, std::size_t sentences) {
  double tokens = 0.0, padding = 0.0;
  for (std::size_t first = 0; first < examples.size(); first += sentences) {
    BatchIndices batch;
    for (auto i = first; i < std::min(first + sentences, examples.size()); ++i) {
      batch.push_back(static_cast<std::uint32_t>(i));
      tokens += static_cast<double>(examples[i].source_ids.size() + examples[i].target_ids.size());
    }
    padding += static_cast<double>(test::padding_positions(examples, batch));
  }
  return padding / (padding + tokens);
}

std::size_t words_in(const std::string& line) {
  std::istringstream words(line);
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
}

void check_share(const std::vector<Example>& examples) {
  // The sizes that a training chooses on a CPU and on a GPU.
  for (const std::int64_t batch_tokens : {4096, 25000}) {
    CAPTURE(batch_tokens);
    CHECK(padding_share(examples, batch_tokens) < 0.10);
  }
  CHECK(unsorted_share(examples, 200) > 0.30);
}

}  // namespace

TEST_CASE("captions as long as those of Multi30k have less than 10 % padding", "[property]") {
  // As measured: words of an English caption, and those of its German translation to each.
  std::mt19937 random(3);
  std::lognormal_distribution<double> words(std::log(11.34), 0.31);
  std::normal_distribution<double> ratio(0.94, 0.163);
  std::vector<Example> examples;
  for (int i = 0; i < 29000; ++i) {
    const double source = std::clamp(words(random), 3.0, 45.0);
    const double target = std::clamp(source * ratio(random), 2.0, 50.0);
    examples.push_back(pair_with(static_cast<std::size_t>(1.3 * source) + 1,
                                 static_cast<std::size_t>(1.3 * target) + 1));
  }
  check_share(examples);
}

TEST_CASE("Multi30k itself has less than 10 % padding", "[slow]") {
  if (!test::have_corpus("multi30k/train.en.gz")) return;
  const auto folder = test::corpora_folder() / "multi30k";
  const auto english = read_lines(folder / "train.en.gz"),
             german = read_lines(folder / "train.de.gz");
  REQUIRE(english.size() == german.size());
  REQUIRE(english.size() > 20000);
  std::vector<Example> examples;
  for (std::size_t i = 0; i < english.size(); ++i)
    examples.push_back(pair_with(words_in(english[i]) + 1, words_in(german[i]) + 1));
  check_share(examples);
}

}  // namespace dragoman::padding_share_test

#include "dragoman/data/epoch_plan.h"

#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/corpus/token_store_writer.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <stop_token>
#include <tuple>

namespace dragoman::epoch_plan_test {

namespace {

std::vector<Example> pairs_of_lengths(std::size_t count) {
  std::mt19937 random(11);
  std::vector<Example> examples(count);
  for (auto& example : examples) {
    example.source_ids.resize(2 + random() % 12, 7);
    example.target_ids.resize(2 + random() % 12, 7);
  }
  return examples;
}

/// Windows small enough for a test: 8 stretches of 16 pairs.
EpochOptions small_windows() {
  return {.limits = {.tokens = 60}, .seed = 5, .window = 128, .stretch = 16};
}

std::vector<BatchIndices> all_batches(EpochPlan plan) {
  std::vector<BatchIndices> batches;
  for (std::int64_t i = 0; i < plan.size(); ++i) batches.push_back(plan.batch(i));
  return batches;
}

/// How often an epoch contains each pair.
std::vector<int> visits(const std::vector<Example>& examples, const EpochOptions& options,
                        std::int64_t epoch) {
  std::vector<int> times(examples.size());
  for (const auto& batch : all_batches(EpochPlan(examples, options, epoch)))
    for (const auto index : batch) ++times[index];
  return times;
}

/// The batches of a corpus sorted as a whole, in a direct implementation.
std::vector<BatchIndices> sorted_as_a_whole(const std::vector<Example>& examples,
                                            std::size_t batch_tokens, std::uint64_t key) {
  std::mt19937_64 random(key);
  const auto shuffle = [&](auto& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
  };
  BatchIndices order(examples.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order);
  const auto lengths = [&](std::uint32_t i) {
    const auto source = static_cast<int>(examples[i].source_ids.size());
    const auto target = static_cast<int>(examples[i].target_ids.size());
    const int longer = std::max(source, target);
    return std::tuple(longer, longer % 2 == 1 ? source - target : target - source);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return lengths(a) < lengths(b); });
  std::vector<BatchIndices> plan(1);
  std::size_t longest = 0;
  for (const auto i : order) {
    const auto length = std::max(examples[i].source_ids.size(), examples[i].target_ids.size());
    if (std::max(longest, length) * (plan.back().size() + 1) > batch_tokens) {
      plan.emplace_back();
      longest = 0;
    }
    plan.back().push_back(i);
    longest = std::max(longest, length);
  }
  shuffle(plan);
  return plan;
}

std::size_t memory_in_use() {
  const auto facts = ::mallinfo2();
  return facts.uordblks + facts.hblkhd;
}

}  // namespace

TEST_CASE("a corpus of one window is planned as a whole, by (seed, epoch)", "[golden]") {
  const auto examples = pairs_of_lengths(3000);
  for (const std::int64_t epoch : {0, 1, 7})
    CHECK(all_batches(EpochPlan(examples, {.limits = {.tokens = 60}, .seed = 5}, epoch)) ==
          sorted_as_a_whole(examples, 60, mix(5, static_cast<std::uint64_t>(epoch))));
}

TEST_CASE("an epoch of many windows contains every pair once", "[property]") {
  const auto examples = pairs_of_lengths(1003);
  const auto times = visits(examples, small_windows(), 0);
  CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

TEST_CASE("the number of batches is known before they are planned", "[property]") {
  const auto examples = pairs_of_lengths(1003);
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    EpochPlan plan(examples, small_windows(), epoch);
    REQUIRE(plan.size() > 0);
    const auto batches = all_batches(plan);
    CHECK(std::none_of(batches.begin(), batches.end(), [](const auto& b) { return b.empty(); }));
    CHECK(std::accumulate(batches.begin(), batches.end(), std::size_t{0},
                          [](std::size_t sum, const auto& b) { return sum + b.size(); }) == 1003);
  }
}

TEST_CASE("a batch in a later window does not depend on the order of access", "[property]") {
  const auto examples = pairs_of_lengths(1003);
  const auto batches = all_batches(EpochPlan(examples, small_windows(), 3));
  for (const std::size_t number : {batches.size() - 1, batches.size() / 2, std::size_t{0}}) {
    EpochPlan plan(examples, small_windows(), 3);
    CHECK(plan.batch(static_cast<std::int64_t>(number)) == batches[number]);
  }
}

TEST_CASE("each window is a sample of the whole corpus, a different one in each epoch",
          "[property]") {
  const auto examples = pairs_of_lengths(16 * 64);
  const auto first_window = [&](std::int64_t epoch) {
    EpochPlan plan(examples, small_windows(), epoch);
    BatchIndices pairs;
    for (std::int64_t i = 0; pairs.size() < 128; ++i)
      pairs.insert(pairs.end(), plan.batch(i).begin(), plan.batch(i).end());
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  };
  const auto pairs = first_window(0);
  CHECK(pairs.size() == 128);
  CHECK(pairs.back() - pairs.front() > 512);  // not one contiguous part of the text
  CHECK(first_window(1) != pairs);
}

TEST_CASE("a weight of two repeats each pair twice, of two and a half a third time for half",
          "[property]") {
  const auto examples = pairs_of_lengths(3000);
  auto options = small_windows();
  options.shares = {
      {.end = 1005, .weight = 2.0}, {.end = 2000, .weight = 1.0}, {.end = 3000, .weight = 2.5}};
  for (const std::size_t window : {std::size_t{128}, std::size_t{1} << 20}) {
    options.window = window;
    const auto times = visits(examples, options, 0);
    CHECK(std::all_of(times.begin(), times.begin() + 1005, [](int n) { return n == 2; }));
    CHECK(std::all_of(times.begin() + 1005, times.begin() + 2000, [](int n) { return n == 1; }));
    CHECK(std::all_of(times.begin() + 2000, times.end(), [](int n) { return n == 2 || n == 3; }));
    const auto thirds = std::count(times.begin() + 2000, times.end(), 3);
    CHECK(thirds > 420);  // of 1000, within five standard deviations
    CHECK(thirds < 580);
  }
}

TEST_CASE("a weight of one half draws a new half in each epoch, the same one for equal seeds",
          "[property]") {
  const auto examples = pairs_of_lengths(2000);
  auto options = small_windows();
  options.shares = {{.end = 2000, .weight = 0.5}};
  const auto first = visits(examples, options, 0);
  const auto second = visits(examples, options, 1);
  CHECK(first == visits(examples, options, 0));
  const auto drawn = std::count(first.begin(), first.end(), 1);
  CHECK(drawn > 880);
  CHECK(drawn < 1120);
  std::int64_t both = 0;
  for (std::size_t i = 0; i < first.size(); ++i) both += first[i] * second[i];
  CHECK(both > 400);
  CHECK(both < 600);
}

TEST_CASE("weights that leave no pair by chance leave one, each time another", "[unit]") {
  const auto examples = pairs_of_lengths(300);
  auto options = small_windows();
  options.shares = {{.end = 200, .weight = 1e-9}, {.end = 300, .weight = 1e-9}};
  std::map<std::size_t, int> times;
  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    EpochPlan plan(examples, options, epoch);
    REQUIRE(plan.size() == 1);
    const auto batch = plan.batch(0);
    REQUIRE(batch.size() == 1);
    ++times[batch.front()];
    CHECK(all_batches(EpochPlan(examples, options, epoch)) == std::vector<BatchIndices>{batch});
  }
  CHECK(times.size() > 10);
}

TEST_CASE("a pair too long for a batch is found in any window when the plan is created", "[unit]") {
  auto examples = pairs_of_lengths(1003);
  examples[900].source_ids.resize(61, 7);
  CHECK_THROWS_AS(EpochPlan(examples, small_windows(), 0), OptionsError);
}

TEST_CASE("a store that is cut while it is in use is noticed before the next window", "[unit]") {
  const test::TemporaryDirectory folder;
  TokenStoreWriter writer(folder / "a.tokens", 8);
  for (const auto& example : pairs_of_lengths(1003)) writer.add(example);
  writer.commit({});
  const TokenStore store(folder / "a.tokens", {.source = 8, .target = 8});
  EpochPlan plan(store, small_windows(), 0);
  plan.batch(0);
  std::filesystem::resize_file(folder / "a.tokens", 100);
  CHECK_THROWS_WITH(plan.batch(plan.size() - 1), test::contains("was changed after it was opened"));
}

TEST_CASE("the memory of a plan does not grow with the corpus", "[property]") {
  const auto examples = pairs_of_lengths(200000);
  const auto memory_of = [&](std::size_t pairs) {
    const auto before = memory_in_use();
    const auto part = std::span<const Example>(examples).first(pairs);
    EpochPlan plan(part, {.limits = {.tokens = 60}, .window = 4096, .stretch = 1024}, 0);
    plan.batch(plan.size() - 1);
    return memory_in_use() - before;
  };
  const auto small = memory_of(8192);
  CHECK(small > 4096 * sizeof(std::uint32_t));
  CHECK(memory_of(200000) < 2 * small);
}

TEST_CASE("planning several windows ends when it is asked to", "[unit]") {
  const auto examples = pairs_of_lengths(1000);
  std::stop_source stop;
  CHECK(EpochPlan(examples, small_windows(), 0, stop.get_token()).size() > 0);
  stop.request_stop();
  CHECK_THROWS_AS(EpochPlan(examples, small_windows(), 0, stop.get_token()), Cancelled);
}

}  // namespace dragoman::epoch_plan_test

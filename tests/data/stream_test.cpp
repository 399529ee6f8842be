#include "dragoman/data/stream.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <torch/types.h>

#include <algorithm>

namespace dragoman::stream_test {

namespace {

/// Pair i has a piece of its own, so that it can be identified in the batches.
std::vector<Example> numbered_pairs(std::int32_t count) {
  std::vector<Example> examples;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::size_t>(3 + i % 7);
    Example example{.source_ids = std::vector<std::int32_t>(length, 10 + i),
                    .target_ids = {10 + i, 3}};
    example.source_ids.back() = 3;
    examples.push_back(example);
  }
  return examples;
}

/// The pieces of an update's first target column, shard by shard.
std::vector<std::int64_t> pairs_of(const UpdateData& update) {
  std::vector<std::int64_t> ids;
  for (const auto& shard : update.shards)
    for (const auto& batch : shard)
      for (std::int64_t row = 0; row < batch.target_output.size(0); ++row)
        ids.push_back(batch.target_output[row][0].item<std::int64_t>());
  return ids;
}

StreamOptions small_updates() {
  return {.limits = {.tokens = 40}, .accumulate = 2, .shards = 2, .prefetch = 3, .seed = 9};
}

}  // namespace

TEST_CASE("an epoch of the stream contains every pair once", "[property]") {
  const auto examples = numbered_pairs(57);
  TrainingStream stream(examples, small_updates(), {});
  std::vector<std::int64_t> seen;
  std::int64_t updates = 0;
  for (bool end = false; !end; ++updates) {
    const auto update = stream.next();
    for (const auto id : pairs_of(update)) seen.push_back(id - 10);
    end = update.next.updates == 0;
  }
  std::sort(seen.begin(), seen.end());
  REQUIRE(seen.size() == 57);
  for (std::int64_t i = 0; i < 57; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
  CHECK(updates == stream.updates_per_epoch());
}

TEST_CASE("a stream that starts inside an epoch continues like the original", "[property]") {
  const auto examples = numbered_pairs(57);
  TrainingStream whole(examples, small_updates(), {});
  std::vector<std::vector<std::int64_t>> updates;
  StreamPosition middle;
  for (int i = 0; i < 25; ++i) {  // into the third epoch
    const auto update = whole.next();
    updates.push_back(pairs_of(update));
    if (i == 9) middle = update.next;
  }
  TrainingStream resumed(examples, small_updates(), middle);
  for (std::size_t i = 10; i < 25; ++i) CHECK(pairs_of(resumed.next()) == updates[i]);
}

TEST_CASE("processes take their workers' parts of a single process's update", "[property]") {
  const auto examples = numbered_pairs(57);
  auto options = small_updates();
  options.shards = 5;
  options.flops = [](std::int64_t source, std::int64_t target) {
    return static_cast<double>(source * source + target);
  };
  TrainingStream whole(examples, options, {});
  options.all_shards = 5;
  options.shards = 2;
  TrainingStream first(examples, options, {});
  options.shards = 3;
  options.first_shard = 2;
  TrainingStream second(examples, options, {});
  for (int i = 0; i < 20; ++i) {
    const auto expected = whole.next();
    const auto one = first.next();
    const auto other = second.next();
    REQUIRE(one.shards.size() == 2);
    REQUIRE(other.shards.size() == 3);
    auto ids = pairs_of(one);
    for (const auto id : pairs_of(other)) ids.push_back(id);
    CHECK(ids == pairs_of(expected));
    const auto sum_is = [&](auto member) {
      return one.counts.*member + other.counts.*member == expected.counts.*member;
    };
    CHECK(sum_is(&UpdateCounts::sentences));
    CHECK(sum_is(&UpdateCounts::source_tokens));
    CHECK(sum_is(&UpdateCounts::padding));
    CHECK(sum_is(&UpdateCounts::flops));
    CHECK(expected.counts.flops > 0.0);
    for (const auto* part : {&one, &other}) CHECK(part->next.updates == expected.next.updates);
  }
}

TEST_CASE("a position beyond the end of a shorter epoch becomes its last update", "[unit]") {
  const auto examples = numbered_pairs(57);
  TrainingStream stream(examples, small_updates(), {.epoch = 1, .updates = 1000});
  const auto update = stream.next();
  CHECK(update.counts.sentences > 0);
  CHECK(update.next.epoch == 2);
}

TEST_CASE("epochs differ in their order", "[property]") {
  const auto examples = numbered_pairs(57);
  TrainingStream stream(examples, small_updates(), {});
  const auto epoch = [&] {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < stream.updates_per_epoch(); ++i)
      for (const auto id : pairs_of(stream.next())) ids.push_back(id);
    return ids;
  };
  CHECK(epoch() != epoch());
}

TEST_CASE("an update counts its tokens and padding", "[unit]") {
  const auto examples = numbered_pairs(14);
  TrainingStream stream(examples, {.limits = {.tokens = 1000}, .shards = 1}, {});
  const auto update = stream.next();
  CHECK(update.counts.sentences == 14);
  CHECK(update.counts.source_tokens == 2 * (3 + 4 + 5 + 6 + 7 + 8 + 9));
  CHECK(update.counts.padding == 14 * 9 - update.counts.source_tokens);
}

TEST_CASE("waiting for an update can be cancelled, and loses none", "[unit]") {
  const auto examples = numbered_pairs(57);
  TrainingStream whole(examples, small_updates(), {}), stream(examples, small_updates(), {});
  CHECK_FALSE(stream.next_unless([] { return true; }));
  const auto update = stream.next_unless([] { return false; });
  REQUIRE(update);
  CHECK(pairs_of(*update) == pairs_of(whole.next()));
}

TEST_CASE("an impossible plan is refused when the stream is created", "[unit]") {
  const auto examples = numbered_pairs(7);
  CHECK_THROWS_AS(TrainingStream(examples, {.limits = {.tokens = 8}}, {}), OptionsError);
}

}  // namespace dragoman::stream_test

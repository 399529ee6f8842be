#include "dragoman/attention/key_value_store.h"

#include "dragoman/attention/key_value_cache.h"
#include "support/close.h"
#include "support/devices.h"

#include <ATen/ATen.h>

namespace key_value_store_test {

namespace {

using dragoman::KeyValue;

KeyValue random_token(std::int64_t rows, const c10::Device& device) {
  return {at::randn({rows, 2, 1, 3}).to(device), at::randn({rows, 2, 1, 5}).to(device)};
}

void check_equal(const KeyValue& actual, const KeyValue& expected) {
  CHECK(test::same_bits(actual.key.cpu(), expected.key.cpu()));
  CHECK(test::same_bits(actual.value.cpu(), expected.value.cpu()));
}

/// Rows of 100 steps: they change their order, their number, or stay.
at::Tensor rows_of_step(std::int64_t step, std::int64_t rows) {
  const auto kept = step % 7 == 0 && rows > 2 ? rows - 1 : rows;
  return step % 3 == 0 ? at::randint(rows, {kept}) : at::arange(kept);
}

}  // namespace

TEST_CASE("a store of keys and values gives what a cache on the CPU gives", "[property]") {
  for (const auto& device : test::test_devices()) {
    CAPTURE(device.str());
    at::manual_seed(4);
    dragoman::KeyValueStore store;
    dragoman::KeyValueCache expected;
    std::int64_t rows = 6;
    for (std::int64_t step = 0; step < 100; ++step) {
      const auto next = random_token(rows, c10::kCPU);
      store.append({next.key.to(device), next.value.to(device)});
      expected.append(next);
      REQUIRE(store.length() == step + 1);
      REQUIRE(store.rows() == rows);
      const auto selected = rows_of_step(step, rows);
      store.select_rows(selected.to(device));
      expected.select_rows(selected);
      rows = selected.size(0);
    }
    check_equal(store.used(), expected.used());
    check_equal(store.some({0, 41, 99}), expected.some({0, 41, 99}));
  }
}

TEST_CASE("a copy of a store and the store grow independently", "[unit]") {
  at::manual_seed(5);
  const auto first = random_token(2, c10::kCPU), one = random_token(2, c10::kCPU),
             other = random_token(2, c10::kCPU);
  dragoman::KeyValueStore store;
  store.append(first);
  auto copy = store;
  store.append(one);
  copy.append(other);
  check_equal(store.some({0}), first);
  check_equal(store.some({1}), one);
  check_equal(copy.some({0}), first);
  check_equal(copy.some({1}), other);
}

TEST_CASE("a cache on another device than the CPU keeps its tokens there", "[unit]") {
  for (const auto& device : test::other_devices()) {
    dragoman::KeyValueCache cache;
    CHECK(cache.rows() == 0);
    cache.append(random_token(3, device));
    cache.select_rows(at::tensor({2, 2, 0, 1}).to(device));
    CHECK(cache.used().key.device() == device);
    CHECK(cache.rows() == 4);
    CHECK(cache.length() == 1);
  }
}

TEST_CASE("reordering the rows of a store moves keys and values in one operation", "[unit]") {
  dragoman::KeyValueStore store;
  store.append(random_token(2, c10::kCPU));
  store.select_rows(at::tensor({1, 0}));
  const auto used = store.used();
  CHECK(used.key.storage().is_alias_of(used.value.storage()));
  store.append(random_token(2, c10::kCPU));
  CHECK(store.used().key.storage().is_alias_of(used.key.storage()));
}

}  // namespace key_value_store_test

#include "dragoman/model/decoder_state.h"

#include "support/close.h"

#include <torch/types.h>

namespace decoder_state_test {

namespace {

/// A first layer whose attention has no head left, and so no state, before one with a state.
dragoman::DecoderState pruned_state() {
  dragoman::DecoderState state;
  state.layers.resize(2);
  state.layers[1].recurrence.hidden = torch::arange(6.0).view({3, 2});
  state.length = 1;
  return state;
}

}  // namespace

TEST_CASE("rows are selected in every layer if the first has no state", "[unit]") {
  for (const auto& rows :
       {torch::tensor({2, 0, 0}), torch::arange(3), torch::empty({0}, at::kLong)}) {
    CAPTURE(rows.size(0));
    auto state = pruned_state();
    const auto expected = state.layers[1].recurrence.hidden.index_select(0, rows);
    state.select_rows(rows);
    CHECK(test::same_bits(state.layers[1].recurrence.hidden, expected));
  }
}

TEST_CASE("selecting every row in its order copies nothing if the first layer has no state",
          "[unit]") {
  auto state = pruned_state();
  const auto before = state.layers[1].recurrence.hidden;
  state.select_rows(torch::arange(3));
  CHECK(state.layers[1].recurrence.hidden.is_same(before));
}

}  // namespace decoder_state_test

#include "dragoman/data/batch.h"

#include "dragoman/core/error.h"
#include "support/shared.h"

#include <torch/types.h>

#include <utility>

namespace dragoman::batch_test {

namespace {

const SpecialIds special{.pad = 0, .unk = 1, .bos = 2, .eos = 3};

}  // namespace

TEST_CASE("a batch is padded, masked and shifted for teacher forcing", "[unit]") {
  const Example longer{.source_ids = {5, 6, 3}, .target_ids = {7, 8, 9, 3}};
  const Example shorter{.source_ids = {5, 3}, .target_ids = {7, 3}};
  const auto batch = make_batch(std::vector<const Example*>{&longer, &shorter}, special, special);

  CHECK(at::equal(batch.source, torch::tensor({{5, 6, 3}, {5, 3, 0}}, torch::kInt64)));
  CHECK(at::equal(batch.source_mask, torch::tensor({{true, true, true}, {true, true, false}})));
  CHECK(at::equal(batch.target_input, torch::tensor({{2, 7, 8, 9}, {2, 7, 0, 0}}, torch::kInt64)));
  CHECK(at::equal(batch.target_output, torch::tensor({{7, 8, 9, 3}, {7, 3, 0, 0}}, torch::kInt64)));
  CHECK(batch.target_mask.sum().item<std::int64_t>() == batch.target_tokens);
  CHECK(batch.source_tokens == 5);
  CHECK(batch.target_tokens == 6);
}

TEST_CASE("rows are aligned at the left and padded to the longest, and may be empty", "[unit]") {
  const std::vector<std::vector<std::int32_t>> rows{{5, 6, 3}, {}, {7}};
  const auto [ids, mask] = pad_rows(rows, 9);
  CHECK(at::equal(ids, torch::tensor({{5, 6, 3}, {9, 9, 9}, {7, 9, 9}}, torch::kInt64)));
  CHECK(at::equal(
      mask, torch::tensor({{true, true, true}, {false, false, false}, {true, false, false}})));
  const auto none = pad_rows(std::vector<std::vector<std::int32_t>>(2), 0);
  CHECK(none.ids.sizes() == at::IntArrayRef{2, 0});
  CHECK(none.mask.sizes() == at::IntArrayRef{2, 0});
}

TEST_CASE("masks depend on lengths, not on the padding id", "[unit]") {
  const Example with_pad_inside{.source_ids = {0, 6, 3}, .target_ids = {7, 0, 3}};
  const auto batch = make_batch(std::vector<const Example*>{&with_pad_inside}, special, special);
  CHECK(batch.source_mask.all().item<bool>());
  CHECK(batch.target_mask.all().item<bool>());
}

TEST_CASE("sentences that fill up a batch follow its own, and no target is one of theirs",
          "[unit]") {
  const Example longer{.source_ids = {5, 6, 3}, .target_ids = {7, 8, 9, 3}};
  const Example shorter{.source_ids = {5, 3}, .target_ids = {7, 3}};
  const auto batch = make_batch(std::vector<const Example*>{&longer, &shorter}, special, special);
  CHECK(with_multiple_of(2, batch).source.is_same(batch.source));
  const auto more = with_multiple_of(5, batch);
  for (const auto& [filled, own] : {std::pair{more.source, batch.source},
                                    {more.source_mask, batch.source_mask},
                                    {more.target_input, batch.target_input},
                                    {more.target_output, batch.target_output},
                                    {more.target_mask, batch.target_mask}}) {
    CHECK(filled.size(0) == 5);
    CHECK(filled.scalar_type() == own.scalar_type());
    CHECK(at::equal(filled.narrow(0, 0, 2), own));
  }
  CHECK(more.source_mask.narrow(0, 2, 3).all().item<bool>());
  CHECK_FALSE(more.target_mask.narrow(0, 2, 3).any().item<bool>());
  CHECK(more.target_places.is_same(batch.target_places));
  CHECK(at::equal(more.target_output.flatten().index_select(0, more.target_places),
                  torch::tensor({7, 8, 9, 3, 7, 3}, torch::kInt64)));
}

TEST_CASE("a batch without examples violates the contract", "[unit]") {
  CHECK_THROWS_AS(make_batch(std::span<const Example* const>(), special, special), ContractError);
}

}  // namespace dragoman::batch_test

#include "dragoman/decoding/token_log_probs.h"

#include "support/catch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace token_log_probs_test {

using dragoman::token_log_probs;

TEST_CASE("log-probabilities of many tokens need the logits of 64 rows at once", "[unit]") {
  at::manual_seed(1);
  constexpr std::int64_t targets = 7, target_len = 61, d_model = 8, vocab_size = 50;
  const auto hidden = at::randn({targets, target_len, d_model});
  const auto weight = at::randn({vocab_size, d_model});
  const auto tokens = at::randint(vocab_size, {targets, target_len}, at::kLong);
  std::int64_t most_rows = 0, all_rows = 0;
  const auto logits_of = [&](const at::Tensor& rows) {
    most_rows = std::max(most_rows, rows.size(0));
    all_rows += rows.size(0);
    return at::linear(rows, weight);
  };
  const auto found = token_log_probs(hidden, tokens, vocab_size, logits_of);
  CHECK(most_rows == 64);
  CHECK(all_rows == targets * target_len);
  const auto expected = at::linear(hidden, weight).log_softmax(-1);
  CHECK(
      at::allclose(found.given, expected.gather(-1, tokens.unsqueeze(-1)).squeeze(-1), 1e-5, 1e-5));
  CHECK(at::equal(found.most_probable, expected.argmax(-1).eq(tokens)));
}

TEST_CASE("log-probabilities of logits in bf16 are float32", "[unit]") {
  const auto hidden = at::ones({1, 2, 4}, at::kBFloat16);
  const auto found = token_log_probs(hidden, at::zeros({1, 2}, at::kLong), 4,
                                     [](const at::Tensor& rows) { return rows; });
  CHECK(found.given.scalar_type() == at::kFloat);
  CHECK(found.given[0][1].item<float>() == test::Approx(-std::log(4.0)));
}

}  // namespace token_log_probs_test

#include "dragoman/model/multi_head_attention.h"

#include "dragoman/attention/key_value_cache.h"
#include "dragoman/core/error.h"

#include "support/close.h"
#include "support/golden_module.h"

#include <cmath>

namespace multi_head_attention_test {

using dragoman::AttentionMask;
using dragoman::ModelOptions;
using dragoman::MultiHeadAttention;

namespace {

ModelOptions sized(std::int64_t d_model, std::int64_t num_heads) {
  ModelOptions options;
  options.d_model = d_model;
  options.num_heads = num_heads;
  options.dropout = 0.0;
  return options;
}

MultiHeadAttention attention_of(const ModelOptions& options) {
  torch::manual_seed(1);
  MultiHeadAttention attention(options);
  attention->to(torch::kDouble);
  const double deviation = 1.0 / std::sqrt(static_cast<double>(options.d_model));
  for (auto& weight : attention->parameters())
    weight.set_data(torch::randn_like(weight) * deviation);
  return attention;
}

torch::Tensor weight(const MultiHeadAttention& attention, const std::string& name) {
  return attention->named_parameters()[name];
}

torch::Tensor attend(MultiHeadAttention& attention, const torch::Tensor& query,
                     const torch::Tensor& memory, const torch::Tensor& allow = {}) {
  return attention->forward(query, attention->project(memory),
                            AttentionMask::from(allow, query.scalar_type()));
}

}  // namespace

TEST_CASE("heads computed one by one give the same result", "[property]") {
  auto attention = attention_of(sized(12, 3));
  const auto x = torch::randn({2, 5, 12}, torch::kDouble);
  const auto part = [&](const char* name, std::int64_t head) {
    const std::string place = name;
    return at::linear(x, weight(attention, place + ".weight").narrow(0, 4 * head, 4),
                      weight(attention, place + ".bias").narrow(0, 4 * head, 4));
  };
  auto expected = weight(attention, "output.bias").expand({2, 5, 12});
  for (std::int64_t head = 0; head < 3; ++head) {
    const auto scores = at::matmul(part("query", head), part("key", head).transpose(1, 2)) / 2.0;
    const auto context = at::matmul(scores.softmax(-1), part("value", head));
    expected =
        expected + at::linear(context, weight(attention, "output.weight").narrow(1, 4 * head, 4));
  }
  CHECK_THAT(attend(attention, x, x), test::close_to(expected));
}

TEST_CASE("swapping two heads leaves the output unchanged", "[property]") {
  auto attention = attention_of(sized(8, 2));
  const auto x = torch::randn({2, 5, 8}, torch::kDouble);
  const auto before = attend(attention, x, x).detach();
  const auto swapped = torch::tensor({4, 5, 6, 7, 0, 1, 2, 3});
  for (const auto& item : attention->named_parameters()) {
    const bool output = item.key().rfind("output", 0) == 0;
    if (item.key() == "output.bias") continue;
    torch::Tensor(item.value())
        .set_data(item.value().detach().index_select(output ? 1 : 0, swapped));
  }
  CHECK_THAT(attend(attention, x, x), test::close_to(before));
}

TEST_CASE("permuting the memory together with its mask leaves the output unchanged", "[property]") {
  auto attention = attention_of(sized(8, 2));
  const auto query = torch::randn({2, 4, 8}, torch::kDouble);
  const auto memory = torch::randn({2, 6, 8}, torch::kDouble);
  const auto allow =
      torch::tensor({1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1}).view({2, 1, 1, 6}).to(torch::kBool);
  const auto order = torch::tensor({3, 5, 0, 2, 1, 4});
  CHECK_THAT(attend(attention, query, memory.index_select(1, order), allow.index_select(3, order)),
             test::close_to(attend(attention, query, memory, allow)));
}

TEST_CASE("self-attention without positions permutes its output with its input", "[property]") {
  auto attention = attention_of(sized(8, 2));
  const auto x = torch::randn({2, 6, 8}, torch::kDouble);
  for (int trial = 0; trial < 5; ++trial) {
    const auto order = torch::randperm(6);
    const auto moved = x.index_select(1, order);
    CHECK_THAT(attend(attention, moved, moved),
               test::close_to(attend(attention, x, x).index_select(1, order)));
  }
}

TEST_CASE("decoding token by token equals the whole sentence", "[property]") {
  for (const std::int64_t d_model : {8, 64}) {  // products, and the fused pass
    auto options = sized(d_model, 2);
    auto attention = attention_of(options);
    if (d_model == 64) attention->to(torch::kFloat);
    const auto x = torch::randn({2, 20, d_model}, weight(attention, "query.weight").options());
    const auto mask = AttentionMask::causal(20, x.options());
    const auto whole = attention->forward(x, attention->project(x), mask);
    const torch::NoGradGuard no_gradient;
    dragoman::Past past;
    for (std::int64_t t = 0; t < 20; ++t) {  // more than one vector of scores
      CAPTURE(d_model, t);
      const auto token = x.narrow(1, t, 1);
      CHECK_THAT(attention->step(token, token, past), test::close_to(whole.narrow(1, t, 1)));
      CHECK_THAT(attention->forward(token, past.tokens.used()),
                 test::close_to(whole.narrow(1, t, 1)));
    }
  }
}

TEST_CASE("the scale is 1 / sqrt(d_k), 1 or the configured value", "[unit]") {
  auto options = sized(8, 2);
  options.d_k = 16;
  const auto x = torch::randn({1, 4, 8}, torch::kDouble);
  const auto output = [&](dragoman::AttentionScale scale, double value) {
    options.scale = scale;
    options.scale_value = value;
    auto attention = attention_of(options);  // the same weights each time
    return attend(attention, x, x);
  };
  using dragoman::AttentionScale;
  CHECK_THAT(output(AttentionScale::sqrt_dk, 9.0),
             test::close_to(output(AttentionScale::value, 0.25)));
  CHECK_THAT(output(AttentionScale::none, 9.0), test::close_to(output(AttentionScale::value, 1.0)));
  CHECK_FALSE(
      at::allclose(output(AttentionScale::none, 9.0), output(AttentionScale::sqrt_dk, 9.0)));
}

TEST_CASE("memory of another width is refused", "[unit]") {
  MultiHeadAttention attention(sized(16, 4));
  CHECK_THROWS_AS(attention->project(torch::zeros({2, 5, 8})), dragoman::ContractError);
  CHECK_THROWS_WITH(attention->project(torch::zeros({2, 5, 8})),
                    "memory is [2, 5, 8], expected [batch, source_len, 16]");
}

TEST_CASE("a cache selects, repeats and drops rows", "[unit]") {
  dragoman::KeyValueCache cache;
  for (int t = 0; t < 3; ++t)
    cache.append({torch::arange(4.0).view({4, 1, 1, 1}) + 10 * t,
                  torch::arange(4.0).view({4, 1, 1, 1}) - 10 * t});
  cache.select_rows(torch::tensor({2, 2, 0}));
  CHECK(cache.rows() == 3);
  CHECK(at::equal(cache.used().key.squeeze(),
                  torch::tensor({2, 12, 22, 2, 12, 22, 0, 10, 20}).view({3, 3}).to(torch::kFloat)));
  CHECK(at::equal(cache.used().value[2].flatten(), torch::tensor({0, -10, -20}).to(torch::kFloat)));
}

TEST_CASE("attention over a reordered past equals attention over the gathered past", "[property]") {
  auto attention = attention_of(sized(64, 2));
  attention->to(torch::kFloat);
  const torch::NoGradGuard no_gradient;
  dragoman::Past past;
  std::int64_t rows = 5;
  for (int t = 0; t < 40; ++t) {
    CAPTURE(t);
    const auto token = torch::randn({rows, 1, 64});
    const auto output = attention->step(token, token, past);
    CHECK_THAT(output, test::close_to(attention->forward(token, past.tokens.used())));
    const std::int64_t kept = 1 + t % 7;
    past.select_rows(torch::randint(rows, {kept}, torch::kInt64));
    rows = kept;
  }
}

}  // namespace multi_head_attention_test

#include "dragoman/kernels/cached_attention.h"

#include "kernels/attention_reference.h"
#include "support/catch.h"

namespace cached_attention_test {

namespace {

struct Widths {
  std::int64_t num_heads, d_k, d_v;
};

/// `tokens` steps of `rows` rows, each of which continues a row drawn at random.
class Step {
 public:
  Step(const Widths& widths, std::int64_t rows, std::int64_t tokens)
      : widths_(widths),
        rows_(rows),
        query_(test::normal_numbers(rows * widths.num_heads * widths.d_k, 1)) {
    std::mt19937 random(2);
    for (std::int64_t t = 0; t < tokens; ++t) {
      const auto seed = static_cast<unsigned>(3 + 2 * t);
      keys_.push_back(test::normal_numbers(rows * widths.num_heads * widths.d_k, seed));
      values_.push_back(test::normal_numbers(rows * widths.num_heads * widths.d_v, seed + 1));
      for (std::int64_t row = 0; row < rows; ++row)
        origin_.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(rows)));
    }
  }

  std::vector<float> context() const {
    dragoman::CachedAttention input{.rows = rows_,
                                    .num_heads = widths_.num_heads,
                                    .d_k = widths_.d_k,
                                    .d_v = widths_.d_v,
                                    .scale = 0.3F,
                                    .query = query_.data(),
                                    .origin = origin_.data()};
    for (const auto& token : keys_) input.keys.push_back(token.data());
    for (const auto& token : values_) input.values.push_back(token.data());
    std::vector<float> context(static_cast<std::size_t>(rows_ * widths_.num_heads * widths_.d_v));
    dragoman::cached_attention(input, context.data());
    return context;
  }

  test::HeadOfQuery head(std::int64_t row, std::int64_t head) const {
    const auto& [num_heads, d_k, d_v] = widths_;
    test::HeadOfQuery result{query_.data() + (row * num_heads + head) * d_k, {}, {}, d_k, d_v, 0.3};
    for (std::size_t t = 0; t < keys_.size(); ++t) {
      const auto from =
          origin_[t * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)];
      result.keys.push_back(keys_[t].data() + (from * num_heads + head) * d_k);
      result.values.push_back(values_[t].data() + (from * num_heads + head) * d_v);
    }
    return result;
  }

 private:
  Widths widths_;
  std::int64_t rows_;
  std::vector<float> query_;
  std::vector<std::vector<float>> keys_, values_;
  std::vector<std::int64_t> origin_;
};

}  // namespace

TEST_CASE("attention to a cache is that to the past of each row, for any widths", "[property]") {
  for (const auto& widths : {Widths{1, 16, 16}, {3, 32, 48}, {2, 48, 32}, {8, 64, 64}})
    for (const std::int64_t tokens : {1, 15, 16, 17, 33})
      for (const std::int64_t rows : {1, 5}) {
        CAPTURE(widths.num_heads, widths.d_k, widths.d_v, tokens, rows);
        const Step step(widths, rows, tokens);
        const auto context = step.context();
        double largest = 0.0;
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t head = 0; head < widths.num_heads; ++head)
            largest =
                std::max(largest, test::largest_difference(
                                      context.data() + (row * widths.num_heads + head) * widths.d_v,
                                      test::context_of(step.head(row, head))));
        CHECK(largest < 5e-6);
      }
}

}  // namespace cached_attention_test

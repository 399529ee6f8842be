#include "dragoman/kernels/beam_attention.h"

#include "kernels/attention_reference.h"
#include "support/catch.h"

namespace beam_attention_test {

namespace {

/// Sentences of several lengths and the queries of their beams.
class Sentences {
 public:
  Sentences(std::int64_t num_heads, std::int64_t d_k, std::int64_t d_v, std::int64_t beam)
      : input_{.num_heads = num_heads, .d_k = d_k, .d_v = d_v, .beam = beam, .scale = 0.3F} {
    for (const std::int64_t tokens : {33, 1, 16, 17, 5}) {
      const auto seed = static_cast<unsigned>(tokens);
      keys_.push_back(test::normal_numbers(tokens * num_heads * d_k, seed));
      values_.push_back(test::normal_numbers(tokens * num_heads * d_v, seed + 50));
      transposed_.emplace_back(
          static_cast<std::size_t>(dragoman::transposed_size(tokens, num_heads, d_k)), -7.0F);
      dragoman::transpose_keys(keys_.back().data(), tokens, num_heads, d_k,
                               transposed_.back().data());
      means_.emplace_back(static_cast<std::size_t>(beam * tokens), -7.0F);
      memories_.push_back({tokens, transposed_.back().data(), values_.back().data(), nullptr});
    }
    query_ = test::normal_numbers(std::ssize(memories_) * beam * num_heads * d_k, 1);
    input_.query = query_.data();
  }

  /// \param means whether the mean weights are computed, too
  std::vector<float> context(bool means) {
    for (std::size_t s = 0; s < memories_.size(); ++s)
      memories_[s].mean_weights = means ? means_[s].data() : nullptr;
    std::vector<float> context(static_cast<std::size_t>(std::ssize(memories_) * input_.beam *
                                                        input_.num_heads * input_.d_v));
    dragoman::beam_attention(input_, memories_, context.data());
    return context;
  }

  test::HeadOfQuery head(std::size_t sentence, std::int64_t beam, std::int64_t head) const {
    const auto row = static_cast<std::int64_t>(sentence) * input_.beam + beam;
    test::HeadOfQuery result{query_.data() + (row * input_.num_heads + head) * input_.d_k,
                             {},
                             {},
                             input_.d_k,
                             input_.d_v,
                             0.3};
    for (std::int64_t t = 0; t < memories_[sentence].tokens; ++t) {
      const auto place = t * input_.num_heads + head;
      result.keys.push_back(keys_[sentence].data() + place * input_.d_k);
      result.values.push_back(values_[sentence].data() + place * input_.d_v);
    }
    return result;
  }

  std::size_t count() const { return memories_.size(); }
  const float* mean(std::size_t sentence, std::int64_t beam) const {
    return means_[sentence].data() + beam * memories_[sentence].tokens;
  }

 private:
  dragoman::BeamAttention input_;
  std::vector<dragoman::BeamMemory> memories_;
  std::vector<std::vector<float>> keys_, values_, transposed_, means_;
  std::vector<float> query_;
};

void check(std::int64_t num_heads, std::int64_t d_k, std::int64_t d_v, std::int64_t beam) {
  Sentences sentences(num_heads, d_k, d_v, beam);
  const auto context = sentences.context(/*means=*/true);
  const auto* found = context.data();
  double of_context = 0.0, of_means = 0.0;
  for (std::size_t s = 0; s < sentences.count(); ++s)
    for (std::int64_t b = 0; b < beam; ++b) {
      std::vector<double> mean;
      for (std::int64_t h = 0; h < num_heads; ++h, found += d_v) {
        const auto head = sentences.head(s, b, h);
        of_context = std::max(of_context, test::largest_difference(found, test::context_of(head)));
        const auto weights = test::weights_of(head);
        mean.resize(weights.size());
        for (std::size_t t = 0; t < mean.size(); ++t)
          mean[t] += weights[t] / static_cast<double>(num_heads);
      }
      of_means = std::max(of_means, test::largest_difference(sentences.mean(s, b), mean));
    }
  CHECK(of_context < 5e-6);
  CHECK(of_means < 1e-6);
  CHECK(sentences.context(/*means=*/false) == context);
}

}  // namespace

TEST_CASE("attention of beams is that of each query to its own sentence, for any widths",
          "[property]") {
  for (const std::int64_t beam : {1, 2, 3, 4, 5, 6, 7}) {
    CAPTURE(beam);
    check(1, 16, 16, beam);
    check(3, 32, 48, beam);
    check(2, 48, 32, beam);
    check(8, 64, 64, beam);
  }
}

}  // namespace beam_attention_test

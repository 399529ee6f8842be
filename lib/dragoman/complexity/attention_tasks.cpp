#include "dragoman/complexity/loop_numbers.h"
#include "dragoman/complexity/loop_tasks.h"
#include "dragoman/core/concat.h"
#include "dragoman/kernels/beam_attention.h"
#include "dragoman/kernels/cached_attention.h"
#include "dragoman/kernels/fused_attention.h"

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>

namespace dragoman {

namespace {

/// Heads of a preset: tiny has 4 of 32 features, base 8 of 64.
struct HeadSizes {
  std::int64_t num_heads, d_k;

  std::int64_t width() const { return num_heads * d_k; }
};

constexpr float task_scale = 0.1F;
constexpr std::int64_t task_tokens = 24;

std::string task_name(const char* kernel, const HeadSizes& heads, const char* what,
                      std::int64_t count) {
  return concat(kernel, ", ", count, what, heads.num_heads, " heads of ", heads.d_k, ", ",
                task_tokens, " tokens");
}

/// [batch, len, num_heads * d_k] -> [batch, num_heads, len, d_k], as LibTorch's attention reads it.
at::Tensor of_heads(const at::Tensor& x, const HeadSizes& heads) {
  return x.view({x.size(0), x.size(1), heads.num_heads, heads.d_k}).transpose(1, 2);
}

LoopTask cached_task(const HeadSizes& heads) {
  constexpr std::int64_t rows = 64;
  const auto query = scattered({rows, heads.width()}), context = at::empty_like(query),
             keys = scattered({task_tokens, rows, heads.width()}),
             values = scattered({task_tokens, rows, heads.width()}),
             origin = at::arange(task_tokens * rows).remainder(rows);
  CachedAttention input{.rows = rows,
                        .num_heads = heads.num_heads,
                        .d_k = heads.d_k,
                        .d_v = heads.d_k,
                        .scale = task_scale,
                        .query = floats_of(query),
                        .origin = origin.const_data_ptr<std::int64_t>()};
  for (std::int64_t t = 0; t < task_tokens; ++t) {
    input.keys.push_back(floats_of(keys[t]));
    input.values.push_back(floats_of(values[t]));
  }
  return {task_name("cached_attention", heads, " rows, ", rows),
          bytes_of({query, keys, values, origin, context}),
          // Holds what `input` points to.
          [=, held = std::tuple(query, keys, values, origin)] {
            cached_attention(input, floats_of(context));
          }};
}

LoopTask beam_task(const HeadSizes& heads) {
  constexpr std::int64_t sentences = 16, beam = 4;
  const auto query = scattered({sentences, beam, heads.width()}), context = at::empty_like(query),
             keys = scattered({sentences, task_tokens, heads.width()}),
             values = scattered({sentences, task_tokens, heads.width()}),
             transposed =
                 at::empty({sentences, transposed_size(task_tokens, heads.num_heads, heads.d_k)});
  std::vector<BeamMemory> memories;
  for (std::int64_t s = 0; s < sentences; ++s) {
    transpose_keys(floats_of(keys[s]), task_tokens, heads.num_heads, heads.d_k,
                   floats_of(transposed[s]));
    memories.push_back(
        {.tokens = task_tokens, .keys = floats_of(transposed[s]), .values = floats_of(values[s])});
  }
  const BeamAttention input{.num_heads = heads.num_heads,
                            .d_k = heads.d_k,
                            .d_v = heads.d_k,
                            .beam = beam,
                            .scale = task_scale,
                            .query = floats_of(query)};
  return {task_name("beam_attention", heads, " sentences, beam 4, ", sentences),
          bytes_of({query, keys, values, context}),
          [=, held = transposed] { beam_attention(input, memories, floats_of(context)); },
          [=] {
            at::scaled_dot_product_attention(of_heads(query, heads), of_heads(keys, heads),
                                             of_heads(values, heads), {}, 0.0, false, task_scale);
          }};
}

/// One self-attention of training.
template <typename Number>
class SelfAttention {
 public:
  explicit SelfAttention(const HeadSizes& heads)
      : heads_(heads),
        query_(numbers()),
        key_(numbers()),
        value_(numbers()),
        context_(numbers()),
        weights_(at::empty({batch, heads.num_heads, task_tokens, task_tokens})) {
    for (auto& x : gradients_) x = numbers();
    input_ = {.num_heads = heads.num_heads,
              .query_len = task_tokens,
              .key_len = task_tokens,
              .d_k = heads.d_k,
              .d_v = heads.d_k,
              .scale = task_scale,
              .query = view<const Number>(query_),
              .key = view<const Number>(key_),
              .value = view<const Number>(value_)};
    std::tie(torch_context_, log_sums_) = torch_forward();
  }

  void forward() {
    fused_attention_forward(input_, view<Number>(context_), weights<float>(), 0,
                            batch * heads_.num_heads);
  }
  void backward() {
    fused_attention_backward(
        input_, weights<const float>(), view<const Number>(context_),
        {view<Number>(gradients_[0]), view<Number>(gradients_[1]), view<Number>(gradients_[2])}, 0,
        batch * heads_.num_heads);
  }

  std::tuple<at::Tensor, at::Tensor> torch_forward() const {
    return at::_scaled_dot_product_flash_attention_for_cpu(
        of_heads(query_, heads_), of_heads(key_, heads_), of_heads(value_, heads_), 0.0, false, {},
        task_scale);
  }
  void torch_backward() const {
    at::_scaled_dot_product_flash_attention_for_cpu_backward(
        of_heads(context_, heads_), of_heads(query_, heads_), of_heads(key_, heads_),
        of_heads(value_, heads_), torch_context_, log_sums_, 0.0, false, {}, task_scale);
  }

  double forward_bytes() const { return bytes_of({query_, key_, value_, context_, weights_}); }
  double backward_bytes() const {
    return forward_bytes() + bytes_of({gradients_[0], gradients_[1], gradients_[2]});
  }

  static constexpr std::int64_t batch = 32;

 private:
  at::Tensor numbers() const {
    const auto x = scattered({batch, task_tokens, heads_.width()});
    return std::is_same_v<Number, float> ? x : x.to(at::kBFloat16);
  }
  template <typename Element>
  HeadsView<Element> view(const at::Tensor& x) const {
    return {static_cast<Element*>(x.mutable_data_ptr()), task_tokens * heads_.width(), heads_.d_k,
            heads_.width()};
  }
  template <typename Element>
  HeadsView<Element> weights() const {
    constexpr auto of_head = task_tokens * task_tokens;
    return {floats_of(weights_), heads_.num_heads * of_head, of_head, task_tokens};
  }

  HeadSizes heads_;
  at::Tensor query_, key_, value_, context_, weights_, gradients_[3], torch_context_, log_sums_;
  FusedAttention<Number> input_;
};

template <typename Number>
void add_training_attention(std::vector<LoopTask>& tasks, const HeadSizes& heads) {
  const auto attention = std::make_shared<SelfAttention<Number>>(heads);
  attention->forward();
  const auto* type = std::is_same_v<Number, float> ? " sentences, " : " sentences in bf16, ";
  tasks.push_back({task_name("fused_attention_forward", heads, type, attention->batch),
                   attention->forward_bytes(), [=] { attention->forward(); },
                   [=] { attention->torch_forward(); }});
  tasks.push_back({task_name("fused_attention_backward", heads, type, attention->batch),
                   attention->backward_bytes(), [=] { attention->backward(); },
                   [=] { attention->torch_backward(); }});
}

}  // namespace

std::vector<LoopTask> attention_tasks() {
  std::vector<LoopTask> tasks;
  for (const HeadSizes heads : {HeadSizes{4, 32}, HeadSizes{8, 64}}) {
    tasks.push_back(cached_task(heads));
    tasks.push_back(beam_task(heads));
    add_training_attention<float>(tasks, heads);
    add_training_attention<Bf16>(tasks, heads);
  }
  return tasks;
}

}  // namespace dragoman

#include "dragoman/complexity/loop_numbers.h"
#include "dragoman/complexity/loop_tasks.h"
#include "dragoman/core/concat.h"
#include "dragoman/kernels/bf16_sums.h"
#include "dragoman/kernels/packed_matrix.h"
#include "dragoman/kernels/recurrence_rows.h"
#include "dragoman/kernels/row_functions.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/top_candidates.h"
#include "dragoman/tensor/dropout.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace dragoman {

namespace {

constexpr std::int64_t task_rows = 136;

std::span<const float> span_of(const at::Tensor& x) {
  return {floats_of(x), static_cast<std::size_t>(x.numel())};
}

void add_logit_tasks(std::vector<LoopTask>& tasks, std::int64_t vocab_size) {
  const auto logits = scattered({vocab_size}), maxima = at::empty({vocab_size / logits_block}),
             sums = at::empty({vocab_size / logits_chunk}), other = scattered({vocab_size});
  const auto bytes = bytes_of({logits});
  tasks.push_back({concat("log_sum_exp, ", vocab_size, " logits"), bytes,
                   [=] { log_sum_exp(span_of(logits)); }, [=] { at::logsumexp(logits, 0); }});
  tasks.push_back({concat("top_candidates, 8 of ", vocab_size), bytes,
                   [=] {
                     std::array<Candidate, 8> best;
                     top_candidates(span_of(logits), best);
                   },
                   [=] { at::topk(logits, 8); }});
  const auto chunks = vocab_size / logits_chunk;
  const auto in_chunks = logits.narrow(0, 0, chunks * logits_chunk).view({chunks, logits_chunk});
  tasks.push_back({concat("reduce_columns, ", chunks, " x ", logits_chunk), bytes_of({in_chunks}),
                   [=] {
                     reduce_columns({.x = floats_of(in_chunks),
                                     .rows = chunks,
                                     .count = logits_chunk,
                                     .width = logits_chunk,
                                     .block = logits_block,
                                     .maxima = floats_of(maxima),
                                     .maxima_width = logits_chunk / logits_block,
                                     .sums = floats_of(sums),
                                     .sums_width = 1});
                   },
                   [=] {
                     at::amax(in_chunks.view({-1, logits_block}), 1);
                     at::logsumexp(in_chunks, 1);
                   }});
  tasks.push_back({concat("ensemble of 2, ", vocab_size, " logits"), bytes_of({logits, other}),
                   [=, mean = logits.clone()] {
                     const std::array<Logits, 2> members{
                         LogitsOf<float>{floats_of(mean), 1, vocab_size},
                         LogitsOf<float>{floats_of(other), 1, vocab_size}};
                     replace_by_mean_log_probs(members);
                   }});
}

void add_norm_task(std::vector<LoopTask>& tasks, std::int64_t width) {
  const auto x = scattered({task_rows, width}), y = at::empty_like(x), weight = scattered({width}),
             bias = scattered({width});
  const RowNorm norm{.weight = floats_of(weight), .bias = floats_of(bias)};
  tasks.push_back({concat("layer_norm_rows, ", task_rows, " x ", width),
                   bytes_of({x, y, weight, bias}),
                   [=] { layer_norm_rows(floats_of(x), task_rows, width, norm, floats_of(y)); },
                   // Holds what `norm` points to.
                   [=] { at::layer_norm(x, weight.sizes(), weight, bias); }});
}

void add_activation_tasks(std::vector<LoopTask>& tasks) {
  // So large that the loops, which work in place, give what they got and never denormal numbers.
  constexpr std::int64_t width = 2048;
  const auto x = at::full({task_rows, width}, 200.0F), y = at::empty_like(x);
  const auto add = [&](const char* name, auto run, std::function<void()> torch) {
    tasks.push_back({concat(name, ", ", task_rows, " x ", width), bytes_of({x, y}),
                     [=] { run(floats_of(x), x.numel()); }, std::move(torch)});
  };
  auto out = y;
  add("gelu", gelu, [=]() mutable { at::gelu_out(out, x); });
  add("gelu_tanh", gelu_tanh, [=]() mutable { at::gelu_out(out, x, "tanh"); });
  add(
      "swish", [](float* numbers, std::int64_t count) { swish(numbers, count); },
      [=]() mutable { at::silu_out(out, x); });
}

void add_packing_task(std::vector<LoopTask>& tasks, WeightType type) {
  constexpr std::int64_t width = 512;
  const auto x = scattered({task_rows, width});
  const bool bf16 = type == WeightType::bf16;
  const auto to = at::empty({task_rows, width}, bf16 ? at::kBFloat16 : at::kByte);
  LoopTask task{concat("pack_", bf16 ? "bf16" : "int8", "_row, ", task_rows, " x ", width),
                bytes_of({x, to}), [=, packed = std::make_shared<PackedRows>()] {
                  packed->set(floats_of(x), task_rows, width, type);
                }};
  if (bf16) task.torch = [=] { to.copy_(x); };
  tasks.push_back(std::move(task));
}

void add_recurrence_tasks(std::vector<LoopTask>& tasks) {
  constexpr std::int64_t width = 512, count = task_rows * width;
  const auto a = scattered({task_rows, width}), b = scattered({task_rows, width}),
             c = scattered({task_rows, width}), d = scattered({task_rows, width}),
             y = at::empty_like(a);
  const auto sizes = concat(", ", task_rows, " x ", width);
  tasks.push_back({"ssru_state" + sizes, bytes_of({a, b, c, y}), [=] {
                     ssru_state(floats_of(a), floats_of(b), floats_of(c), count, floats_of(y));
                   }});
  tasks.push_back({"gated_sum" + sizes, bytes_of({a, b, c, d, y}), [=] {
                     gated_sum(floats_of(a), floats_of(b), floats_of(c), floats_of(d), count,
                               floats_of(y));
                   }});
  auto out = y;
  tasks.push_back({"scale_and_add" + sizes, bytes_of({a, b, y}),
                   [=] { scale_and_add(floats_of(a), 0.5F, floats_of(b), count, floats_of(y)); },
                   [=]() mutable { at::add_out(out, b, a, 0.5); }});
}

void add_training_tasks(std::vector<LoopTask>& tasks) {
  constexpr std::int64_t length = 1024, width = 512;
  constexpr double p = 0.1;
  const auto x = scattered({length, width}), residual = scattered({length, width}),
             sums = at::zeros({length, width}), of_columns = at::zeros({width});
  const auto sizes = concat(", ", length, " x ", width);
  tasks.push_back({"dropout" + sizes, bytes_of({x, x}), [=] { dragoman::dropout(x, p, true); },
                   [=] { at::dropout(x, p, true); }});
  tasks.push_back({"add_dropout" + sizes, bytes_of({x, residual, x}),
                   [=] { add_dropout(residual, x, p, true); },
                   [=] { at::dropout(x, p, true).add_(residual); }});
  const auto rounded = x.to(at::kBFloat16);
  const auto* bf16 = static_cast<const Bf16*>(rounded.const_data_ptr());
  tasks.push_back({"add_bf16" + sizes, bytes_of({rounded, sums, sums}),
                   [=] { add_bf16(floats_of(sums), bf16, rounded.numel()); },
                   [=] { sums.add_(rounded); }});
  tasks.push_back({"add_bf16_rows" + sizes, bytes_of({rounded, of_columns}),
                   [=] { add_bf16_rows(floats_of(of_columns), bf16, length, width); },
                   [=] { of_columns.add_(rounded.sum(0, false, at::kFloat)); }});
}

}  // namespace

std::vector<LoopTask> row_tasks() {
  std::vector<LoopTask> tasks;
  for (const std::int64_t vocab_size : {8000, 32000}) add_logit_tasks(tasks, vocab_size);
  for (const std::int64_t width : {128, 512}) add_norm_task(tasks, width);
  add_activation_tasks(tasks);
  for (const auto type : {WeightType::bf16, WeightType::int8}) add_packing_task(tasks, type);
  add_recurrence_tasks(tasks);
  add_training_tasks(tasks);
  return tasks;
}

}  // namespace dragoman

#include "dragoman/complexity/kernel_benchmark.h"

#include "dragoman/complexity/loop_benchmark.h"
#include "dragoman/config/option_text.h"
#include "dragoman/core/aligned_vector.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/json_or_null.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/packed_rows.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/thread_count.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace dragoman {

namespace {

/// Layers and generators of tiny (128 features) and base (512), for a batch, one beam and one
/// sentence.
constexpr std::array kernel_shapes{ProductShape{136, 128, 384},  ProductShape{136, 128, 256},
                                   ProductShape{64, 128, 8000},  ProductShape{4, 128, 384},
                                   ProductShape{1, 128, 384},    ProductShape{136, 512, 1536},
                                   ProductShape{136, 512, 2048}, ProductShape{64, 512, 32000},
                                   ProductShape{4, 512, 1536},   ProductShape{1, 512, 1536}};

/// Factors of one shape, whose values do not matter: 1 as float32 and as bf16.
class ProductFactors {
 public:
  ProductFactors(const ProductShape& shape, WeightType type)
      : shape_(shape),
        depth_(type == WeightType::float32 ? shape.inputs
               : type == WeightType::bf16  ? shape.inputs / 2
                                           : shape.inputs / 4),
        panels_((shape.outputs + panel_columns - 1) / panel_columns),
        a_(size(shape.rows * depth_), one),
        b_(size(panels_ * panel_columns * depth_), one),
        start_(size(std::max(panels_ * panel_columns, shape.rows))),
        numbers_(size(std::max(panels_ * panel_columns, shape.rows)), 1.0F),
        c_(size(shape.rows * shape.outputs)) {
    if (type == WeightType::int8) split_.set(a_.data(), shape.rows, depth_);
  }

  void multiply(PackedKernel kernel) {
    kernel({.rows = shape_.rows,
            .columns = shape_.outputs,
            .depth = depth_,
            .a = a_.data(),
            .b = b_.data(),
            .bias = numbers_.data(),
            .row_scale = numbers_.data(),
            .split = split_.rows(),
            .column_scale = numbers_.data(),
            .start = start_.data(),
            .c = c_.data()},
           0, panels_);
  }

 private:
  static constexpr std::int32_t one = 0x3F803F80;
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  ProductShape shape_;
  std::int64_t depth_, panels_;
  AlignedVector<std::int32_t> a_, b_;
  SplitInt8 split_;
  std::vector<std::int32_t> start_;
  std::vector<float> numbers_, c_;
};

std::vector<ProductSpeed> measure_products(WeightType type, double seconds) {
  std::vector<ProductSpeed> speeds;
  const auto sets = packed_loops(type);
  Progress progress(concat("measuring ", option_text(type), " products"), "shapes",
                    std::ssize(kernel_shapes));
  std::int64_t shapes = 0;
  for (const auto& shape : kernel_shapes) {
    ProductFactors factors(shape, type);
    std::vector<Contestant> contestants;
    for (const auto& set : sets)
      contestants.push_back({.name = set.instructions,
                             .run = [&factors, kernel = set.kernel] { factors.multiply(kernel); }});
    if (type == WeightType::float32) {
      const auto x = at::ones({shape.rows, shape.inputs}),
                 weight = at::ones({shape.outputs, shape.inputs}), bias = at::ones({shape.outputs});
      contestants.push_back(
          {.name = "LibTorch", .run = [x, weight, bias] { at::linear(x, weight, bias); }});
    }
    measure_by_turns(contestants, seconds);
    for (const auto& [name, run, fastest] : contestants)
      speeds.push_back({.type = type,
                        .instructions = name,
                        .shape = shape,
                        .seconds = fastest,
                        .peak_share = 0.0});
    progress.show(++shapes);
  }
  double peak = 0.0;
  for (const auto& speed : speeds)
    if (speed.instructions == sets.front().instructions) peak = std::max(peak, speed.gmacs());
  for (auto& speed : speeds) speed.peak_share = speed.gmacs() / peak;
  return speeds;
}

std::vector<std::vector<std::string>> loop_rows(const std::vector<LoopSpeed>& loops) {
  std::vector<std::vector<std::string>> rows = {
      {"loop", "instructions", "us", "GB/s", "of a copy", "LibTorch's us", "times as fast"}};
  for (const auto& loop : loops) {
    rows.push_back({loop.kernel, loop.instructions, decimal(1e6 * loop.seconds, 2),
                    decimal(loop.gigabytes_per_second, 1),
                    concat(decimal(100.0 * loop.copy_share, 0), " %")});
    if (!loop.torch_seconds) continue;
    rows.back().push_back(decimal(1e6 * *loop.torch_seconds, 2));
    rows.back().push_back(decimal(*loop.torch_seconds / loop.seconds, 2));
  }
  return rows;
}

std::string name_of(const ProductShape& shape) {
  return concat(shape.rows, " x ", shape.inputs, " x ", shape.outputs);
}

}  // namespace

double ProductShape::multiply_adds() const {
  return static_cast<double>(rows) * static_cast<double>(inputs) * static_cast<double>(outputs);
}

nlohmann::json json_of(const LoopSpeed& speed) {
  return {{"kernel", speed.kernel},         {"instructions", speed.instructions},
          {"seconds", speed.seconds},       {"gigabytes_per_second", speed.gigabytes_per_second},
          {"copy_share", speed.copy_share}, {"torch_seconds", json_or_null(speed.torch_seconds)}};
}

KernelBenchmark benchmark_kernels(const KernelOptions& options) {
  KernelBenchmark benchmark{.products = {}, .loops = measure_loops(options.seconds)};
  const ThreadCount one_thread(1);
  const at::InferenceMode without_graph;
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8})
    for (auto& speed : measure_products(type, options.seconds))
      benchmark.products.push_back(std::move(speed));
  return benchmark;
}

std::string KernelBenchmark::text() const {
  std::vector<std::vector<std::string>> rows = {
      {"product", "type", "instructions", "GMAC/s", "of the peak"}};
  for (const auto& speed : products)
    rows.push_back({name_of(speed.shape), option_text(speed.type), speed.instructions,
                    decimal(speed.gmacs(), 1), concat(decimal(100.0 * speed.peak_share, 0), " %")});
  return concat(
      "rows x inputs x outputs, CPU time of one thread; the peak of a type is the highest "
      "speed of its best instructions\n",
      text_table(rows),
      "\nGB/s of inputs and outputs, and their share of a copy of as many bytes; LibTorch's "
      "operator for the same, held to the same instructions\n",
      text_table(loop_rows(loops)));
}

nlohmann::json KernelBenchmark::json() const {
  nlohmann::json out{{"products", nlohmann::json::array()}, {"loops", nlohmann::json::array()}};
  for (const auto& speed : products)
    out["products"].push_back({{"type", speed.type},
                               {"instructions", speed.instructions},
                               {"rows", speed.shape.rows},
                               {"inputs", speed.shape.inputs},
                               {"outputs", speed.shape.outputs},
                               {"seconds", speed.seconds},
                               {"gmacs", speed.gmacs()},
                               {"peak_share", speed.peak_share}});
  for (const auto& loop : loops) out["loops"].push_back(json_of(loop));
  return out;
}

}  // namespace dragoman

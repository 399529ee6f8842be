#include "dragoman/loss/cpu_loss.h"

#include "dragoman/tensor/bf16_products.h"

#include <ATen/autocast_mode.h>
#include <torch/nn.h>

#include <algorithm>
#include <optional>

namespace dragoman {

namespace {

constexpr std::int64_t chunk_rows = 256;        // rows whose logits are held at once
constexpr std::int64_t bf16_block_rows = 2048;  // rows whose gradients are held at once, in half
                                                // precision

/// The output layer's products and the loss, block by block of rows. The logit gradients of a block
/// are held together, and one product computes the weight gradient from them.
class LossBlocks {
 public:
  /// \param layer hidden and weight in the type of the products
  LossBlocks(const OutputLayer& layer, bool with_gradient)
      : hidden_(layer.hidden),
        weight_(layer.weight),
        bias_(layer.bias),
        with_gradient_(with_gradient),
        is_bf16_(weight_.scalar_type() != torch::kFloat32) {
    const auto chunk = std::min(chunk_rows, hidden_.size(0));
    logits_ = torch::empty({chunk, weight_.size(0)}, torch::kFloat32);
    if (!with_gradient_) return;
    hidden_gradient = torch::empty(hidden_.sizes(), torch::kFloat32);
    weight_gradient = torch::zeros(weight_.sizes(), torch::kFloat32);
    if (bias_.defined()) bias_gradient = torch::zeros(bias_.sizes(), torch::kFloat32);
    if (is_bf16_)
      gradients_ = torch::empty({std::min(bf16_block_rows, hidden_.size(0)), weight_.size(0)},
                                weight_.options());
  }

  /// Adds what all rows contribute to `sums`, and sets the gradients.
  void run(const AddChunkLoss& chunk_loss, double* sums) {
    const auto rows = hidden_.size(0);
    const auto block_rows = is_bf16_ ? bf16_block_rows : chunk_rows;
    for (std::int64_t begin = 0; begin < rows; begin += block_rows) {
      const auto count = std::min(block_rows, rows - begin);
      for (std::int64_t row = 0; row < count; row += chunk_rows)
        run_chunk({begin + row, row, std::min(chunk_rows, count - row)}, chunk_loss, sums);
      if (with_gradient_) add_gradients(begin, count);
    }
  }

  at::Tensor hidden_gradient, weight_gradient, bias_gradient;

 private:
  struct Chunk {
    std::int64_t begin;  ///< its first row
    std::int64_t place;  ///< the same in the block
    std::int64_t count;
  };

  void run_chunk(const Chunk& chunk, const AddChunkLoss& chunk_loss, double* sums) {
    const auto [begin, place, count] = chunk;
    const auto part = hidden_.narrow(0, begin, count);
    auto logits = logits_.narrow(0, 0, count);
    if (is_bf16_)
      multiply_bf16_rows(part, weight_.t(), {}, logits);
    else
      at::mm_out(logits, part, weight_.t());
    if (bias_.defined()) logits.add_(bias_);
    chunk_loss(logits, begin, with_gradient_, sums);
    if (!with_gradient_) return;
    if (bias_.defined()) bias_gradient.add_(logits.sum(0));
    if (is_bf16_) gradients_.narrow(0, place, count).copy_(logits);
  }

  void add_gradients(std::int64_t begin, std::int64_t count) {
    const auto gradient = (is_bf16_ ? gradients_ : logits_).narrow(0, 0, count);
    const auto part = hidden_.narrow(0, begin, count);
    auto rows = hidden_gradient.narrow(0, begin, count);
    if (is_bf16_) {
      multiply_bf16_rows(gradient, weight_, {}, rows);
      add_bf16_outer_products(gradient, part, weight_gradient);
    } else {
      at::mm_out(rows, gradient, weight_);
      weight_gradient.addmm_(gradient.t(), part);
    }
  }

  at::Tensor hidden_, weight_, bias_;
  at::Tensor logits_;     ///< [chunk_rows, vocab_size] float32, then their gradients
  at::Tensor gradients_;  ///< [bf16_block_rows, vocab_size]
  bool with_gradient_, is_bf16_;
};

/// Output layer and loss with the gradient computed in the forward pass (the incoming gradient is a
/// scalar, so it can be multiplied in later).
class CpuLoss : public torch::autograd::Function<CpuLoss> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& hidden, const at::Tensor& weight,
                                                const std::optional<at::Tensor>& bias,
                                                const AddChunkLoss& chunk_loss, at::ScalarType type,
                                                bool with_gradient) {
    auto sums = torch::zeros({Loss::numbers}, torch::kFloat64);
    LossBlocks blocks({.hidden = hidden.to(type).contiguous(),
                       .weight = weight.to(type).contiguous(),
                       .bias = bias.value_or(at::Tensor())},
                      with_gradient);
    blocks.run(chunk_loss, sums.mutable_data_ptr<double>());
    context->saved_data["hidden"] = blocks.hidden_gradient;
    context->saved_data["weight"] = blocks.weight_gradient;
    context->saved_data["bias"] = blocks.bias_gradient;
    context->saved_data["type"] = static_cast<std::int64_t>(hidden.scalar_type());
    auto loss = sums.select(0, Loss::minimised).clone().to(torch::kFloat32);
    context->mark_non_differentiable({sums});
    return {loss, sums};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto factor = gradients[0].item<double>();
    const auto take = [&](const char* name) {
      const auto saved = context->saved_data[name].toTensor();
      return saved.defined() && factor != 1.0 ? saved.mul_(factor) : saved;
    };
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {take("hidden").to(type), take("weight"), take("bias"), {}, {}, {}};
  }
};

}  // namespace

Loss cpu_loss(const OutputLayer& layer, std::int64_t tokens, const AddChunkLoss& chunk_loss) {
  const auto& [hidden, weight, bias] = layer;
  const auto type =
      at::autocast::is_autocast_enabled(at::kCPU) ? torch::kBFloat16 : torch::kFloat32;
  const bool with_gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const auto results =
      CpuLoss::apply(hidden, weight, bias.defined() ? std::optional(bias) : std::nullopt,
                     chunk_loss, type, with_gradient);
  return {.sum = results[0], .sums = results[1], .tokens = tokens};
}

Loss cpu_loss(const OutputLayer& layer, const at::Tensor& targets, const SmoothedTarget& target) {
  const auto rows = [&](at::Tensor& logits, std::int64_t first, bool with_gradient, double* sums) {
    smoothed_loss_rows(logits, targets.narrow(0, first, logits.size(0)), target, with_gradient,
                       sums);
  };
  return cpu_loss(layer, targets.size(0), rows);
}

}  // namespace dragoman

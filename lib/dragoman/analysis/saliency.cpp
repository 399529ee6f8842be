#include "dragoman/analysis/saliency.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/core/progress.h"
#include "dragoman/tensor/device.h"

#include <torch/autograd.h>
#include <torch/nn.h>

#include <algorithm>

namespace dragoman {

namespace {

/// |gradient x input| of each position, as shares of its row: [rows, len, d_model] to [rows, len].
at::Tensor shares_of(const at::Tensor& gradient, const at::Tensor& input) {
  if (!gradient.defined()) return at::zeros({input.size(0), input.size(1)}, at::kDouble);
  const auto importance = (gradient * input.detach()).sum(-1).abs().to(at::kCPU, at::kDouble);
  return importance / importance.sum(-1, true).clamp_min(1e-300);
}

/// The steps from `first` on, `count` of them: a copy of the pair for each, so that one backward
/// pass serves them all.
Saliency steps_of(TransformerImpl& model, const Batch& batch, std::int64_t first,
                  std::int64_t count) {
  const auto copies = [count](const at::Tensor& x) { return x.expand({count, x.size(1)}); };
  const auto source_ids = copies(batch.source), source_mask = copies(batch.source_mask);
  const auto source = model.embed_source(source_ids).detach().requires_grad_();
  const auto target = model.embed_target(copies(batch.target_input)).detach().requires_grad_();
  const auto memory = model.encode_embedded(source, source_ids, source_mask);
  const auto hidden = model.decode_embedded(target, memory, source_mask);
  const auto steps = at::arange(first, first + count, batch.source.options());
  const auto written = hidden.index({steps - first, steps});  // [count, d_model]
  auto generator = model.generator();
  const auto ids = batch.target_output[0].narrow(0, first, count).unsqueeze(-1);
  const auto log_prob = generator->forward(written).log_softmax(-1).gather(-1, ids).sum();
  const auto gradients = torch::autograd::grad({log_prob}, {source, target}, {}, std::nullopt,
                                               false, /*allow_unused=*/true);
  return {shares_of(gradients[0], source), shares_of(gradients[1], target)};
}

std::vector<float> floats_of(const at::Tensor& x) {
  const auto floats = x.to(at::kFloat).contiguous();
  const auto* first = floats.const_data_ptr<float>();
  return {first, first + floats.numel()};
}

}  // namespace

Saliency saliency(const LoadedRun& run, const Example& example) {
  constexpr std::int64_t positions_at_once = 4096;  // bounds the memory of long sentences
  auto model = run.model;
  const auto batch = on_device(
      make_batch(example, run.vocabulary.source.special(), run.vocabulary.target.special()),
      device_of(*model));
  const auto steps = batch.target_output.size(1);
  const auto at_once =
      std::max<std::int64_t>(1, positions_at_once / (batch.source.size(1) + steps));
  std::vector<at::Tensor> source, target;
  for (std::int64_t first = 0; first < steps; first += at_once) {
    const auto some = steps_of(*model, batch, first, std::min(at_once, steps - first));
    source.push_back(some.source);
    target.push_back(some.target);
  }
  return {at::cat(source), at::cat(target)};
}

void add_saliency(const LoadedRun& run, std::span<const LinePair> pairs,
                  std::vector<AttentionPicture>& pictures) {
  Progress progress("computing saliency", "sentences", std::ssize(pairs));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    progress.show(static_cast<std::int64_t>(i));
    auto& maps = pictures.at(i).maps;
    if (pairs[i].target.empty() || maps.empty()) continue;
    const auto shares = saliency(run, encode_pair(run.vocabulary, pairs[i]));
    for (auto& map : maps) {
      if (map.kind == AttentionPart::cross) map.saliency = floats_of(shares.source);
      if (map.kind == AttentionPart::decoder) map.saliency = floats_of(shares.target);
    }
  }
  progress.finish();
}

}  // namespace dragoman

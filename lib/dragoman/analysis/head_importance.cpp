#include "dragoman/analysis/head_importance.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/pair_batches.h"
#include "dragoman/core/error.h"
#include "dragoman/data/batch.h"

#include <torch/autograd.h>
#include <torch/nn.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

/// One attention sub-layer and its output projection.
struct MixedHeads {
  AttentionPart kind;
  std::int64_t layer;
  std::vector<std::int64_t> heads;  // that remain
  at::Tensor mix;                   // W_O [d_model, heads * d_v]

  std::int64_t d_v() const { return mix.size(1) / std::ssize(heads); }
};

std::vector<MixedHeads> all_attentions(TransformerImpl& model) {
  std::vector<MixedHeads> attentions;
  const auto& options = model.options();
  for (const auto& sublayer : attention_sublayers(options)) {
    const auto& [kind, layer] = sublayer;
    const auto heads = remaining_heads(options, sublayer);
    const auto place = attention_place(kind, layer) + ".output";
    if (!heads.empty())
      attentions.push_back({kind, layer, heads, part<LinearImpl>(model, place).weight()});
  }
  return attentions;
}

/// The columns of W_O for the remaining head at `index`.
at::Tensor head_columns(const at::Tensor& mix, std::int64_t index, std::int64_t d_v) {
  return mix.narrow(1, index * d_v, d_v);
}

/// The loss over all examples, without gradients.
double corpus_nll(TransformerImpl& model, std::span<const Batch> batches) {
  const torch::NoGradGuard no_gradient;
  double sum = 0.0;
  for (const auto& batch : batches) sum += negative_log_likelihood(model, batch).item<double>();
  return sum;
}

/// d nll / d gate of each head of each attention: the gate scales columns of W_O, so its derivative
/// is the sum of W_O times its gradient over them.
void add_gate_grads(const std::vector<MixedHeads>& attentions, const at::Tensor& nll,
                    std::vector<HeadImportance>& heads) {
  std::vector<at::Tensor> mixes;
  for (const auto& attention : attentions) mixes.push_back(attention.mix);
  const auto gradients = torch::autograd::grad({nll}, mixes, {}, /*retain_graph=*/std::nullopt,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  std::size_t next = 0;
  for (std::size_t a = 0; a < attentions.size(); ++a) {
    // The loss does not depend on the encoder if no head is left that reads its output.
    const auto gradient = gradients[a].defined() ? gradients[a] : torch::zeros_like(mixes[a]);
    const auto products = (mixes[a].detach() * gradient)
                              .sum(0)
                              .view({-1, attentions[a].d_v()})
                              .sum(-1)
                              .to(at::kCPU, torch::kDouble);
    for (std::int64_t h = 0; h < products.size(0); ++h)
      heads[next++].gate_grads.push_back(products[h].item<double>());
  }
}

/// Computes the means over sentences, and the norm of each attention, whose heads are adjacent.
void finish(std::vector<HeadImportance>& heads, const std::vector<MixedHeads>& attentions) {
  for (auto& head : heads) {
    for (const double grad : head.gate_grads) head.importance += std::abs(grad);
    head.importance /= static_cast<double>(head.gate_grads.size());
  }
  std::size_t first = 0;
  for (const auto& attention : attentions) {
    const auto group = std::span(heads).subspan(first, attention.heads.size());
    double squares = 0.0;
    for (const auto& head : group) squares += head.importance * head.importance;
    for (auto& head : group)
      head.normalised = squares > 0.0 ? head.importance / std::sqrt(squares) : 0.0;
    first += group.size();
  }
}

void ablate(TransformerImpl& model, const std::vector<MixedHeads>& attentions,
            std::span<const Batch> batches, std::vector<HeadImportance>& heads) {
  const torch::NoGradGuard no_gradient;
  std::size_t next = 0;
  for (const auto& attention : attentions)
    for (std::int64_t h = 0; h < std::ssize(attention.heads); ++h) {
      auto columns = head_columns(attention.mix.detach(), h, attention.d_v());
      const auto kept = columns.clone();
      columns.zero_();
      heads[next++].nll_without = corpus_nll(model, batches);
      columns.copy_(kept);
    }
}

}  // namespace

ImportanceReport head_importance(Transformer model, std::span<const Example> examples,
                                 const SpecialIds& source_special, const SpecialIds& target_special,
                                 Ablation ablation) {
  ImportanceReport report;
  const auto attentions = all_attentions(*model);
  for (const auto& attention : attentions)
    for (const auto h : attention.heads)
      report.heads.push_back({{.kind = attention.kind, .layer = attention.layer, .head = h}, {}});
  if (report.heads.empty())
    throw OptionsError("the model has no attention heads; give a run with some left");
  for (const auto& example : examples) {
    const auto nll =
        negative_log_likelihood(*model, make_batch(example, source_special, target_special));
    report.nll += nll.item<double>();
    add_gate_grads(attentions, nll, report.heads);
  }
  finish(report.heads, attentions);
  if (ablation == Ablation::each_head)
    ablate(*model, attentions, pair_batches(examples, source_special, target_special),
           report.heads);
  return report;
}

std::vector<HeadImportance> pruning_order(const ImportanceReport& report) {
  auto order = report.heads;
  std::stable_sort(
      order.begin(), order.end(),
      [](const HeadImportance& a, const HeadImportance& b) { return a.normalised < b.normalised; });
  return order;
}

}  // namespace dragoman

#include "dragoman/analysis/attention_erasure.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/tensor/device.h"

#include <torch/autograd.h>
#include <torch/nn.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace dragoman {

namespace {

/// Ranks from 0; ties have the mean of their ranks.
std::vector<double> ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> rank(x.size());
  for (std::size_t first = 0; first < order.size();) {
    auto last = first;
    while (last + 1 < order.size() && x[order[last + 1]] == x[order[first]]) ++last;
    for (auto k = first; k <= last; ++k) rank[order[k]] = 0.5 * static_cast<double>(first + last);
    first = last + 1;
  }
  return rank;
}

std::vector<double> numbers_of(const at::Tensor& x) {
  const auto doubles = x.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const auto* first = doubles.const_data_ptr<double>();
  return {first, first + doubles.numel()};
}

at::Tensor log_prob(TransformerImpl& model, const at::Tensor& memory, const Batch& batch,
                    AttentionRecord* record = nullptr) {
  const auto hidden = model.decode(batch.target_input, memory, batch.source_mask, record);
  auto generator = model.generator();
  return generator->forward(hidden)
      .log_softmax(-1)
      .gather(-1, batch.target_output.unsqueeze(-1))
      .sum();
}

/// The pieces of the text, without languages before and EOS behind them.
struct TextPieces {
  std::int64_t first, count;
};

TextPieces text_of(const LoadedRun& run, const Example& example) {
  const auto& source = run.vocabulary.source;
  const auto first = std::ssize(source.prefix());
  return {first, std::ssize(example.source_ids) - first - (source.ends_sources() ? 1 : 0)};
}

/// One pair: its source pieces by attention and by gradient, and the loss from erasing one of them.
class PairTest {
 public:
  PairTest(const LoadedRun& run, const Example& example)
      : run_(run),
        holder_(run.model),
        model_(*holder_),
        example_(example),
        text_(text_of(run, example)) {
    const auto batch = batch_of(example);
    const auto embedded = model_.embed_source(batch.source).detach().requires_grad_();
    AttentionRecord record;
    const auto sum = log_prob(
        model_, model_.encode_embedded(embedded, batch.source, batch.source_mask), batch, &record);
    full_ = sum.item<double>();
    const auto gradient = torch::autograd::grad({sum}, {embedded})[0];
    by_gradient_ =
        numbers_of((gradient * embedded).sum(-1).abs()[0].narrow(0, text_.first, text_.count));
    by_attention_ =
        numbers_of(record.cross.back().mean({0, 1, 2}).narrow(0, text_.first, text_.count));
  }

  const std::vector<double>& by_attention() const { return by_attention_; }
  const std::vector<double>& by_gradient() const { return by_gradient_; }

  /// The drop of log P(target | source) without the piece.
  double drop_without(std::size_t piece) const {
    const torch::NoGradGuard no_gradient;
    auto shorter = example_;
    shorter.source_ids.erase(shorter.source_ids.begin() + text_.first +
                             static_cast<std::ptrdiff_t>(piece));
    const auto batch = batch_of(shorter);
    return full_ -
           log_prob(model_, model_.encode(batch.source, batch.source_mask), batch).item<double>();
  }

 private:
  Batch batch_of(const Example& example) const {
    return on_device(
        make_batch(example, run_.vocabulary.source.special(), run_.vocabulary.target.special()),
        device_of(model_));
  }

  const LoadedRun& run_;
  Transformer holder_;
  TransformerImpl& model_;
  const Example& example_;
  TextPieces text_;
  double full_ = 0.0;
  std::vector<double> by_attention_, by_gradient_;
};

std::size_t largest(const std::vector<double>& x) {
  return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}

std::size_t smallest(const std::vector<double>& x) {
  return static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin());
}

/// \param draw a random number, which chooses one of the pieces other than the most attended one
void add(ErasureReport& report, const PairTest& pair, std::uint64_t draw) {
  constexpr double strong = 0.5;
  const double correlation = rank_correlation(pair.by_attention(), pair.by_gradient());
  const auto most_attended = largest(pair.by_attention()), pieces = pair.by_attention().size();
  const double attended = pair.drop_without(most_attended);
  const double random = pair.drop_without((most_attended + 1 + draw % (pieces - 1)) % pieces);
  report.sentences += 1;
  report.rank_correlation += correlation;
  report.correlated += correlation > strong ? 1.0 : 0.0;
  report.drop_most_attended += attended;
  report.drop_least_attended += pair.drop_without(smallest(pair.by_attention()));
  report.drop_largest_gradient += pair.drop_without(largest(pair.by_gradient()));
  report.drop_random += random;
  report.attended_beats_random += attended > random ? 1.0 : 0.0;
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const auto x = ranks(a), y = ranks(b);
  const double middle = 0.5 * static_cast<double>(a.size() - 1);
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

ErasureReport test_erasure(const LoadedRun& run, std::span<const LinePair> pairs,
                           std::uint64_t seed) {
  constexpr std::size_t least_pieces = 3;
  const auto& options = run.options.model;
  if (remaining_heads(options, {AttentionPart::cross, options.decoder_layers - 1}).empty())
    throw OptionsError(
        "the heads of the last layer's encoder-decoder attention have been pruned; give a run with "
        "some left");
  std::mt19937_64 generator(seed);
  ErasureReport report;
  for (const auto& pair : pairs) {
    const auto example = encode_pair(run.vocabulary, pair);
    const auto pieces = static_cast<std::size_t>(text_of(run, example).count);
    if (pieces < least_pieces) continue;
    add(report, PairTest(run, example), generator());
  }
  if (report.sentences == 0)
    throw DataError(concat("no pair has a source of ", least_pieces,
                           " pieces or more, of which one can be left out; give longer sentences"));
  for (auto* sum : {&report.rank_correlation, &report.correlated, &report.drop_most_attended,
                    &report.drop_least_attended, &report.drop_largest_gradient, &report.drop_random,
                    &report.attended_beats_random})
    *sum /= static_cast<double>(report.sentences);
  return report;
}

}  // namespace dragoman

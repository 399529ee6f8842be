#include "dragoman/core/simd.h"
#include "dragoman/loss/cpu_row_loops.h"
#include "dragoman/loss/paired_loss.h"

#include <algorithm>
#include <vector>

namespace dragoman {

namespace {

using row_loops::lanes;

/// A row of logits, its softmax without the denominator, and what was read of it.
struct PassRow {
  float* logits;
  float* exponentials;
  row_loops::RowSums read = {};
  double log_sum = 0.0;  ///< log of the sum of exp(logit)

  void take(std::int64_t count) {
    run_on_this_cpu([this, count](auto) __attribute__((always_inline)) {
      read = row_loops::read_row(logits, count);
    });
    std::copy_n(logits, count, exponentials);
    run_on_this_cpu([this, count](auto) __attribute__((always_inline)) {
      read.exponentials = row_loops::exponentiate_row(exponentials, count, read.largest);
    });
    log_sum = row_loops::log_sum(read);
  }
};

/// KL(p || q) and KL(q || p).
struct Divergences {
  float forward, backward;
};

/// \param shift log sum of q's exponentials minus that of p's
[[gnu::always_inline]] inline Divergences diverge(const PassRow& p, const PassRow& q,
                                                  std::int64_t count, float shift) {
  float of_p[lanes] = {}, of_q[lanes] = {};
  const auto whole = count / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l) {
      const float d = p.logits[i + l] - q.logits[i + l] + shift;
      of_p[l] += p.exponentials[i + l] * d;
      of_q[l] -= q.exponentials[i + l] * d;
    }
  float forward = 0.0F, backward = 0.0F;
  for (std::int64_t l = 0; l < lanes; ++l) forward += of_p[l], backward += of_q[l];
  for (std::int64_t i = whole; i < count; ++i) {
    const float d = p.logits[i] - q.logits[i] + shift;
    forward += p.exponentials[i] * d;
    backward -= q.exponentials[i] * d;
  }
  return {forward / p.read.exponentials, backward / q.read.exponentials};
}

/// The weights in float32, as the loop reads them.
struct GradientTerms {
  float first, second, forward, backward, spread, shift;
  Divergences kl;
};

/// Gradients instead of logits, those of the target itself left out.
[[gnu::always_inline]] inline void replace_logits(const PassRow& p, const PassRow& q,
                                                  std::int64_t count, const GradientTerms& terms) {
  const float scale_p = 1.0F / p.read.exponentials, scale_q = 1.0F / q.read.exponentials;
  const float of_p = terms.first + terms.backward - terms.forward * terms.kl.forward;
  const float of_q = terms.second + terms.forward - terms.backward * terms.kl.backward;
  const float first_spread = terms.first * terms.spread;
  const float second_spread = terms.second * terms.spread;
  for (std::int64_t i = 0; i < count; ++i) {
    const float d = p.logits[i] - q.logits[i] + terms.shift;
    const float prob_p = p.exponentials[i] * scale_p, prob_q = q.exponentials[i] * scale_q;
    p.logits[i] = prob_p * (of_p + terms.forward * d) - terms.backward * prob_q - first_spread;
    q.logits[i] = prob_q * (of_q - terms.backward * d) - terms.forward * prob_p - second_spread;
  }
}

class PairRows {
 public:
  PairRows(const PairedTarget& paired, std::int64_t classes)
      : paired_(paired), classes_(classes), exponentials_(static_cast<std::size_t>(2 * classes)) {}

  void run(float* rows, std::int64_t wanted, bool with_gradient, double* sums) {
    const auto& [target, weights] = paired_;
    PassRow p{rows, exponentials_.data()}, q{rows + classes_, exponentials_.data() + classes_};
    p.take(classes_);
    q.take(classes_);
    const auto shift = static_cast<float>(q.log_sum - p.log_sum);
    Divergences kl{};
    run_on_this_cpu([&](auto)
                        __attribute__((always_inline)) { kl = diverge(p, q, classes_, shift); });
    bool correct = false;
    run_on_this_cpu([&](auto) __attribute__((always_inline)) {
      correct = row_loops::is_argmax(p.logits, wanted, p.read.largest);
    });
    const auto of_p = losses_of(p, wanted), of_q = losses_of(q, wanted);
    const double consistency = weights.forward_kl * static_cast<double>(kl.forward) +
                               weights.backward_kl * static_cast<double>(kl.backward);
    sums[Loss::minimised] +=
        weights.first * of_p.smoothed + weights.second * of_q.smoothed + consistency;
    sums[Loss::nll] += weights.first * of_p.nll + weights.second * of_q.nll;
    sums[Loss::correct] += correct ? 1.0 : 0.0;
    sums[Loss::consistency] += consistency;
    if (!with_gradient) return;
    const GradientTerms terms{.first = static_cast<float>(weights.first),
                              .second = static_cast<float>(weights.second),
                              .forward = static_cast<float>(weights.forward_kl),
                              .backward = static_cast<float>(weights.backward_kl),
                              .spread = static_cast<float>(target.spread),
                              .shift = shift,
                              .kl = kl};
    run_on_this_cpu([&](auto)
                        __attribute__((always_inline)) { replace_logits(p, q, classes_, terms); });
    add_target(p.logits, wanted, weights.first);
    add_target(q.logits, wanted, weights.second);
  }

 private:
  row_loops::RowLosses losses_of(const PassRow& row, std::int64_t wanted) const {
    const auto& target = paired_.target;
    return row_loops::losses_of(
        {.log_sum = row.log_sum,
         .sum = row.read.all,
         .of_target = row.logits[wanted],
         .of_excluded = target.excluded >= 0 ? row.logits[target.excluded] : 0.0F,
         .count = classes_},
        target);
  }

  void add_target(float* gradient, std::int64_t wanted, double weight) const {
    const auto& target = paired_.target;
    gradient[wanted] -= static_cast<float>(weight * target.extra);
    if (target.excluded >= 0)
      gradient[target.excluded] += static_cast<float>(weight * target.spread);
  }

  PairedTarget paired_;
  std::int64_t classes_;
  std::vector<float> exponentials_;  ///< of both rows
};

}  // namespace

AddChunkLoss paired_loss_rows(const at::Tensor& targets, const PairedTarget& paired) {
  return
      [targets, paired](at::Tensor& logits, std::int64_t first, bool with_gradient, double* sums) {
        const auto classes = logits.size(1);
        PairRows rows(paired, classes);
        auto* row = logits.mutable_data_ptr<float>();
        const auto* wanted = targets.const_data_ptr<std::int64_t>() + first / 2;
        for (std::int64_t pair = 0; pair < logits.size(0) / 2; ++pair, row += 2 * classes)
          rows.run(row, wanted[pair], with_gradient, sums);
      };
}

}  // namespace dragoman

#include "dragoman/translate/likelihood.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

void Likelihood::add(const PairScore& score) {
  nll_ -= score.log_prob;
  pieces_ += std::ssize(score.pieces);
  told_ += std::ssize(score.most_probable);
  correct_ += std::count(score.most_probable.begin(), score.most_probable.end(), true);
}

double Likelihood::nll() const { return nll_ / static_cast<double>(pieces_); }

double Likelihood::perplexity() const { return std::exp(nll()); }

std::optional<double> Likelihood::accuracy() const {
  if (pieces_ == 0 || told_ != pieces_) return std::nullopt;
  return static_cast<double>(correct_) / static_cast<double>(pieces_);
}

}  // namespace dragoman

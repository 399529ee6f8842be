#include "dragoman/model/positional_encoding.h"

#include "dragoman/core/error.h"
#include "dragoman/tensor/initialisation.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>

namespace dragoman {

torch::Tensor sinusoidal_table(std::int64_t len, std::int64_t d_model, Sinusoids order) {
  const auto options = torch::TensorOptions(torch::kDouble);
  const auto last =
      static_cast<double>(order == Sinusoids::halves_inclusive ? d_model - 2 : d_model);
  const auto exponents = torch::arange(0, d_model, 2, options) / last;
  const auto rates = torch::pow(10000.0, -exponents);
  const auto angles = torch::arange(len, options).unsqueeze(1) * rates;  // [len, d_model / 2]
  if (order == Sinusoids::interleaved)
    return torch::stack({angles.sin(), angles.cos()}, -1).view({len, d_model});
  return torch::cat({angles.sin(), angles.cos()}, -1);
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelOptions& options)
    : position_(options.position),
      sinusoids_(options.sinusoids),
      d_model_(options.d_model),
      offset_(options.position_offset) {
  if (position_ == Position::learned)
    weight_ = register_parameter("weight", embedding_matrix(options.max_positions, d_model_));
}

torch::Tensor PositionalEncodingImpl::forward(std::int64_t start, std::int64_t len,
                                              const torch::TensorOptions& like) {
  const auto first = start + offset_;
  switch (position_) {
    case Position::none: return {};
    case Position::learned:
      expect_position(first + len - 1, weight_.size(0));
      return weight_.narrow(0, first, len);
    case Position::sinusoidal: return sinusoidal(first + len, like).narrow(0, first, len);
  }
  return {};
}

torch::Tensor PositionalEncodingImpl::sinusoidal(std::int64_t end,
                                                 const torch::TensorOptions& like) {
  constexpr std::int64_t first_length = 256;
  const torch::NoGradGuard no_gradient;
  const c10::InferenceMode off(false);  // a table created while translating must serve training too
  const std::lock_guard lock(tables_mutex_);
  auto& table = tables_[{c10::typeMetaToScalarType(like.dtype()), like.device().str()}];
  if (!table.defined() || table.size(0) < end) {
    // Another stream of the device may still read the old table.
    if (table.defined() && !table.is_cpu()) outgrown_.push_back(table);
    const auto length = std::max(table.defined() ? 2 * table.size(0) : first_length, end);
    table = sinusoidal_table(length, d_model_, sinusoids_).to(like);
  }
  return table;
}

}  // namespace dragoman

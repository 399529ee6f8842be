#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// How the functions below draw the parameters of a new model, in a line for logs. LSTM and
/// convolution layers are drawn by LibTorch.
inline constexpr const char* initialisation_text =
    "matrices Xavier uniform, query, key and value as one; embeddings normal with variance "
    "1 / d_model; biases 0; gammas 1";

/// While an instance exists, this thread leaves new matrices uninitialised, because they are about
/// to be loaded.
class SkipInitialisation {
 public:
  SkipInitialisation();
  ~SkipInitialisation();
  SkipInitialisation(const SkipInitialisation&) = delete;
  SkipInitialisation& operator=(const SkipInitialisation&) = delete;

 private:
  bool before_;
};

/// The weight matrix of a linear map, uniform in +-sqrt(6 / (inputs + stacked * outputs)) (Glorot
/// and Bengio, 2010), drawn from the default generator.
/// \param stacked maps of the same input that count as one matrix, stacked vertically
/// \return [outputs, inputs]
at::Tensor xavier_uniform(std::int64_t outputs, std::int64_t inputs, std::int64_t stacked = 1);

/// The mixtures of low-rank attention, normal with mean 0 and variance 1 / max_length.
/// \return [rank, max_length]
at::Tensor mixture_matrix(std::int64_t rank, std::int64_t max_length);

/// A table of vectors, normal with mean 0 and variance 1 / d_model, so that vectors multiplied by
/// sqrt(d_model) (section 3.4) have variance 1.
/// \return [rows, d_model]
at::Tensor embedding_matrix(std::int64_t rows, std::int64_t d_model);

}  // namespace dragoman

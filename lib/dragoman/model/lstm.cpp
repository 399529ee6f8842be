#include "dragoman/model/lstm.h"

#include "dragoman/tensor/autocast.h"

#include <c10/util/Exception.h>

#include <optional>
#include <tuple>

namespace dragoman {

namespace rnn = torch::nn::utils::rnn;

namespace {

class NoWarnings final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

/// While an instance exists, this thread can compute `lstm` with cuDNN, if `x` is on a GPU. cuDNN
/// keeps what a backward pass reads in training mode alone; without dropout, nothing else depends
/// on the mode. It copies weights that have no buffer of their own, as those of a training never
/// have; LibTorch would warn of that at each call.
class ForCudnn {
 public:
  ForCudnn(torch::nn::Module& lstm, const at::Tensor& x)
      : lstm_(lstm),
        changes_mode_(x.is_cuda() && at::GradMode::is_enabled() && !lstm.is_training()) {
    if (changes_mode_) lstm_.train(true);
    if (x.is_cuda()) quiet_.emplace(&none_);
  }
  ~ForCudnn() {
    if (changes_mode_) lstm_.train(false);
  }
  ForCudnn(const ForCudnn&) = delete;
  ForCudnn& operator=(const ForCudnn&) = delete;

 private:
  torch::nn::Module& lstm_;
  bool changes_mode_;
  NoWarnings none_;
  std::optional<c10::WarningUtils::WarningHandlerGuard> quiet_;
};

}  // namespace

BidirectionalLstmImpl::BidirectionalLstmImpl(const ModelOptions& model)
    : torch::nn::LSTMImpl(torch::nn::LSTMOptions(model.d_model, model.d_model / 2)
                              .bidirectional(true)
                              .batch_first(true)) {}

torch::Tensor BidirectionalLstmImpl::forward(const torch::Tensor& x, const torch::Tensor& real) {
  const RecurrenceInSupportedType recurrence(x.device());
  const ForCudnn cudnn(*this, x);
  const auto input = recurrence.input(x);
  if (!real.defined()) return std::get<0>(torch::nn::LSTMImpl::forward(input));
  // When packed, the backward direction starts at each sentence's own end. A sentence without
  // tokens cannot be packed; the output at its padding is never read.
  const auto lengths = real.sum(1).clamp_min(1).cpu();
  const auto packed = rnn::pack_padded_sequence(input, lengths, /*batch_first=*/true,
                                                /*enforce_sorted=*/false);
  const auto read = std::get<0>(forward_with_packed_input(packed));
  return std::get<0>(rnn::pad_packed_sequence(read, /*batch_first=*/true, /*padding_value=*/0.0,
                                              /*total_length=*/x.size(1)));
}

ForwardLstmImpl::ForwardLstmImpl(const ModelOptions& model)
    : torch::nn::LSTMImpl(torch::nn::LSTMOptions(model.d_model, model.d_model).batch_first(true)) {}

at::Tensor ForwardLstmImpl::read(const at::Tensor& x, const Norm& norm) {
  const auto normed = norm(x);
  const RecurrenceInSupportedType recurrence(x.device());
  const ForCudnn cudnn(*this, x);
  return std::get<0>(torch::nn::LSTMImpl::forward(recurrence.input(normed)));
}

at::Tensor ForwardLstmImpl::read_next(const at::Tensor& x, const Norm& norm,
                                      RecurrentState& state) {
  const auto token = norm(x).squeeze(1);
  if (!state.hidden.defined()) state.hidden = state.cell = torch::zeros_like(token);
  const auto weights = all_weights();  // input weights, state weights, and their biases
  std::tie(state.hidden, state.cell) = at::lstm_cell(token, {state.hidden, state.cell}, weights[0],
                                                     weights[1], weights[2], weights[3]);
  return state.hidden.unsqueeze(1);
}

}  // namespace dragoman

#include "dragoman/decoding/module_model.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/stop.h"
#include "dragoman/core/thread.h"
#include "dragoman/data/batch.h"
#include "dragoman/decoding/inference_scope.h"
#include "dragoman/decoding/model_scorers.h"
#include "dragoman/decoding/module_weights.h"
#include "dragoman/decoding/pack_weights.h"
#include "dragoman/decoding/token_log_probs.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/foreign_errors.h"
#include "dragoman/tensor/vector_math.h"

#include <ATen/ATen.h>
#include <torch/cuda.h>

#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// What `compute` returns, in `place`; what LibTorch throws, as an Error: the workers are used by
/// code that knows nothing of LibTorch.
template <typename Compute>
auto computed(const Place& place, const Compute& compute) {
  try {
    const InferenceScope scope(place);
    return compute();
  } catch (...) {
    rethrow_torch_as_error();
  }
}

/// Another scorer, `computed` in its place.
class ScopedScorer : public ModuleScorer {
 public:
  ScopedScorer(std::unique_ptr<ModuleScorer> scorer, const Place& place)
      : scorer_(std::move(scorer)), place_(place) {}

  void advance(std::span<const std::int64_t> tokens) override {
    return computed(place_, [&] { return scorer_->advance(tokens); });
  }
  Logits logits(std::int64_t first, std::int64_t count) override {
    return computed(place_, [&] { return scorer_->logits(first, count); });
  }
  at::Tensor next_logits() override {
    return computed(place_, [&] { return scorer_->next_logits(); });
  }
  bool ranks_tokens() const override { return scorer_->ranks_tokens(); }
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override {
    return computed(place_, [&] { return ModuleScorer::rank_tokens(request, others); });
  }
  std::int64_t rows_at_once() const override { return scorer_->rows_at_once(); }
  std::vector<double> coverage() override {
    return computed(place_, [&] { return scorer_->coverage(); });
  }
  void select_rows(std::span<const std::int64_t> rows) override {
    return computed(place_, [&] { return scorer_->select_rows(rows); });
  }
  void select_sentences(std::span<const std::int64_t> sentences) override {
    return computed(place_, [&] { return scorer_->select_sentences(sentences); });
  }

 private:
  std::unique_ptr<ModuleScorer> scorer_;
  Place place_;
};

class ModuleWorker : public InferenceWorker {
 public:
  ModuleWorker(Transformer model, const InferenceOptions& options)
      : model_(std::move(model)),
        options_(options),
        place_{.threads = options.threads, .stream = stream_of_thread(device())} {}

  std::unique_ptr<NextTokenScorer> start(Sentences sources, const SearchOptions& search,
                                         ForcedPrefixes /*prefixes*/,
                                         const std::stop_token& stop) override {
    expect_no_stop(stop);
    return computed(place_, [&] {
      return std::make_unique<ScopedScorer>(
          make_scorer(model_, pad_rows(sources, options_.source.pad), search), place_);
    });
  }

  using InferenceWorker::log_probs;
  std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets,
                                            MostProbable* most_probable,
                                            const std::stop_token& stop) override {
    expect_no_stop(stop);
    return computed(place_, [&] { return log_probs_of(sources, targets, most_probable); });
  }

  using InferenceWorker::attention;
  std::vector<PairAttention> attention(Sentences sources, Sentences targets,
                                       const std::stop_token& stop) override {
    expect_no_stop(stop);
    return computed(place_, [&] { return attention_of(sources, targets); });
  }

 private:
  at::Device device() const { return device_of(*model_); }

  /// Teacher forcing. \return [targets, target_len, d_model]
  at::Tensor decode(Sentences sources, Sentences targets, AttentionRecord* record) {
    const auto inputs = decoder_inputs(targets, options_.target.bos);
    const auto source = pad_rows(sources, options_.source.pad);
    const auto mask = source.mask.to(device());
    const auto input = pad_rows(inputs, options_.target.pad).ids.to(device());
    return model_->decode(input, model_->encode(source.ids.to(device()), mask), mask, record);
  }

  std::vector<std::vector<float>> log_probs_of(Sentences sources, Sentences targets,
                                               MostProbable* most_probable) {
    const auto output = pad_rows(targets, options_.target.pad).ids.to(device());
    const auto [of_tokens, best] = token_log_probs(
        decode(sources, targets, nullptr), output, model_->vocabulary().target,
        [this](const at::Tensor& rows) { return model_->generator()->forward(rows); });
    std::vector<std::vector<float>> result;
    if (most_probable != nullptr) most_probable->clear();
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const auto* first = of_tokens[row].const_data_ptr<float>();
      result.emplace_back(first, first + targets[i].size());
      if (most_probable == nullptr) continue;
      const auto* is_best = best[row].const_data_ptr<bool>();
      most_probable->emplace_back(is_best, is_best + targets[i].size());
    }
    return result;
  }

  std::vector<PairAttention> attention_of(Sentences sources, Sentences targets) {
    AttentionRecord record;
    decode(sources, targets, &record);
    const auto weights = model_->mean_of_heads(record.cross.back()).to(at::kCPU, at::kFloat);
    std::vector<PairAttention> maps;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto source_len = std::ssize(sources[i]), target_len = std::ssize(targets[i]);
      const auto own = weights[static_cast<std::int64_t>(i)]
                           .narrow(0, 0, target_len)
                           .narrow(1, 0, source_len)
                           .contiguous();
      const auto* first = own.const_data_ptr<float>();
      maps.push_back({source_len, {first, first + own.numel()}});
    }
    return maps;
  }

  Transformer model_;
  InferenceOptions options_;
  Place place_;
};

/// On a GPU, `automatic` is bf16 for wide models. Steps of the paper's base model, with a width of
/// 512, wait for the host rather than for products, and bf16 adds casts.
WeightType type_on_device(SearchPrecision precision, const ModelOptions& options) {
  constexpr std::int64_t wide = 1024;
  if (precision != SearchPrecision::automatic) return weight_type(precision);
  return options.d_model >= wide ? WeightType::bf16 : WeightType::float32;
}

bool has_packable_weights(const Transformer& model) {
  const auto first = model->parameters().front();
  return first.is_cpu() && first.scalar_type() == at::kFloat;
}

class ModuleModel : public InferenceModel {
 public:
  ModuleModel(Transformer model, std::string description)
      : model_(std::move(model)), description_(std::move(description)) {
    // Workers read the weights on streams that would not wait for what computes them.
    const auto device = device_of(*model_);
    if (device.is_cuda()) torch::cuda::synchronize(device.index());
  }

  std::unique_ptr<InferenceWorker> make_worker(const InferenceOptions& options) const override {
    initialise_vector_math();
    // LibTorch ends the process if the system refuses it a thread.
    if (options.threads > 1) expect_threads(options.threads);
    return std::make_unique<ModuleWorker>(model_, options);
  }
  const ModelOptions& options() const override { return model_->options(); }
  bool is_on_cpu() const override { return device_of(*model_).is_cpu(); }
  double bytes_per_hypothesis() const override {
    if (is_on_cpu()) return 0.0;
    const auto options = model_->options().with_heads_of(StackSide::decoder);
    const auto width = options.num_heads * (options.key_width() + options.value_width());
    // Twice, since a search copies them in another order; logits, log-probabilities, temporaries.
    const auto key_values = 2 * bounded_tokens * options.decoder_layers * width *
                            static_cast<std::int64_t>(model_->parameters().front().element_size());
    const auto logits = 3 * model_->vocabulary().target * std::int64_t{sizeof(float)};
    return static_cast<double>(key_values + logits);
  }
  std::string description() const override { return description_; }

 private:
  Transformer model_;
  std::string description_;
};

}  // namespace

std::shared_ptr<const InferenceModel> module_model(const Transformer& model,
                                                   const SearchOptions& search, bool packed) {
  if (const auto device = device_of(*model); !device.is_cpu()) {
    const auto type = type_on_device(search.precision, model->options());
    return std::make_shared<ModuleModel>(
        with_weights_in(model, type),
        concat(option_text(type), " weights of LibTorch's modules on ", device.str()));
  }
  const auto type = weight_type(search.precision);
  if (!packed || !has_packable_weights(model)) {
    return std::make_shared<ModuleModel>(with_weights_in(model, WeightType::float32),
                                         "the weights of LibTorch's modules");
  }
  const bool by_torch = type == WeightType::float32 && !has_packed_kernel(type);
  return std::make_shared<ModuleModel>(
      with_packed_weights(model, type),
      concat(option_text(type), " weights ",
             by_torch ? "of" : "packed for " + packed_instructions(type) + " in",
             " LibTorch's modules"));
}

std::shared_ptr<const InferenceModel> inference_model(const Transformer& model,
                                                      const SearchOptions& search) {
  const auto& options = model->options();
  if (!has_packable_weights(model) || !search.cache || !engine_lacks(options).empty())
    return module_model(model, search);
  ModuleWeights weights(model);
  return std::make_shared<EngineModel>(
      read_engine_weights(options, model->vocabulary(), weights, weight_type(search.precision)));
}

}  // namespace dragoman

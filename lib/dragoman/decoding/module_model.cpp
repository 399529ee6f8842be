#include "dragoman/decoding/module_model.h"

#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/data/batch.h"
#include "dragoman/decoding/model_scorers.h"
#include "dragoman/decoding/module_weights.h"
#include "dragoman/decoding/pack_weights.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/tensor/thread_count.h"
#include "dragoman/tensor/vector_math.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <utility>

namespace dragoman {

namespace {

/// While it exists, this thread records no gradients, and LibTorch uses so many threads for it.
struct InferenceScope {
  explicit InferenceScope(std::int64_t threads) : own_threads(static_cast<int>(threads)) {}
  ThreadCount own_threads;
  c10::InferenceMode inference;
};

/// Another scorer within an InferenceScope.
class ScopedScorer : public ModuleScorer {
 public:
  ScopedScorer(std::unique_ptr<ModuleScorer> scorer, std::int64_t threads)
      : scorer_(std::move(scorer)), threads_(threads) {}

  void advance(std::span<const std::int64_t> tokens) override {
    const InferenceScope scope(threads_);
    scorer_->advance(tokens);
  }
  Logits logits(std::int64_t first, std::int64_t count) override {
    const InferenceScope scope(threads_);
    return scorer_->logits(first, count);
  }
  at::Tensor next_logits() override {
    const InferenceScope scope(threads_);
    return scorer_->next_logits();
  }
  bool ranks_tokens() const override { return scorer_->ranks_tokens(); }
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override {
    const InferenceScope scope(threads_);
    return ModuleScorer::rank_tokens(request, others);
  }
  std::int64_t rows_at_once() const override { return scorer_->rows_at_once(); }
  std::vector<double> coverage() override {
    const InferenceScope scope(threads_);
    return scorer_->coverage();
  }
  void select_rows(std::span<const std::int64_t> rows) override {
    const InferenceScope scope(threads_);
    scorer_->select_rows(rows);
  }
  void select_sentences(std::span<const std::int64_t> sentences) override {
    const InferenceScope scope(threads_);
    scorer_->select_sentences(sentences);
  }

 private:
  std::unique_ptr<ModuleScorer> scorer_;
  std::int64_t threads_;
};

class ModuleWorker : public InferenceWorker {
 public:
  ModuleWorker(Transformer model, const InferenceOptions& options)
      : model_(std::move(model)), options_(options) {}

  std::unique_ptr<NextTokenScorer> start(Sentences sources, const SearchOptions& search,
                                         ForcedPrefixes /*prefixes*/) override {
    const InferenceScope scope(options_.threads);
    return std::make_unique<ScopedScorer>(
        make_scorer(model_, pad_rows(sources, options_.source.pad), search), options_.threads);
  }

  std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets) override {
    const InferenceScope scope(options_.threads);
    const auto output = pad_rows(targets, options_.target.pad).ids.to(device());
    const auto of_tokens = log_probs_of(decode(sources, targets, nullptr), output).cpu();
    std::vector<std::vector<float>> result;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto* first = of_tokens[static_cast<std::int64_t>(i)].const_data_ptr<float>();
      result.emplace_back(first, first + targets[i].size());
    }
    return result;
  }

  std::vector<PairAttention> attention(Sentences sources, Sentences targets) override {
    const InferenceScope scope(options_.threads);
    AttentionRecord record;
    decode(sources, targets, &record);
    const auto weights =
        model_->mean_of_heads(record.decoder_memory.back()).to(at::kCPU, at::kFloat);
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

 private:
  /// \param hidden [targets, target_len, d_model]
  /// \return [targets, target_len] float32
  at::Tensor log_probs_of(const at::Tensor& hidden, const at::Tensor& tokens) {
    const auto places = at::split(tokens.flatten().unsqueeze(1), rows_of_logits(tokens.numel()));
    const auto rows = at::split(hidden.flatten(0, 1), rows_of_logits(tokens.numel()));
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < rows.size(); ++i)
      parts.push_back(at::log_softmax(model_->generator()->forward(rows[i]), -1, at::kFloat)
                          .gather(-1, places[i]));
    return at::cat(parts).view(tokens.sizes());
  }

  /// Rows whose logits are in memory together: all on a CPU, whose batches are small.
  std::int64_t rows_of_logits(std::int64_t all) const {
    constexpr std::int64_t largest = std::int64_t{1} << 27;
    if (device().is_cpu()) return std::max<std::int64_t>(all, 1);
    return std::max<std::int64_t>(largest / model_->vocabulary().target, 1);
  }

  at::Device device() const { return model_->parameters().front().device(); }

  /// Teacher forcing. \return [targets, target_len, d_model]
  at::Tensor decode(Sentences sources, Sentences targets, AttentionRecord* record) {
    std::vector<std::vector<std::int32_t>> inputs;
    for (const auto target : targets) {
      auto& input = inputs.emplace_back(1, static_cast<std::int32_t>(options_.target.bos));
      if (!target.empty()) input.insert(input.end(), target.begin(), target.end() - 1);
    }
    const auto source = pad_rows(sources, options_.source.pad);
    const auto mask = source.mask.to(device());
    const auto input = pad_rows(inputs, options_.target.pad).ids.to(device());
    return model_->decode(input, model_->encode(source.ids.to(device()), mask), mask, record);
  }

  Transformer model_;
  InferenceOptions options_;
};

bool is_on_cpu(const Transformer& model) { return model->parameters().front().is_cpu(); }

std::string name_of_type(WeightType type) { return nlohmann::json(type).get<std::string>(); }

/// On a GPU, `automatic` is bf16.
WeightType type_on_device(SearchPrecision precision) {
  return precision == SearchPrecision::automatic ? WeightType::bf16 : weight_type(precision);
}

bool has_packable_weights(const Transformer& model) {
  const auto first = model->parameters().front();
  return first.is_cpu() && first.scalar_type() == at::kFloat;
}

class ModuleModel : public InferenceModel {
 public:
  ModuleModel(Transformer model, std::string description)
      : model_(std::move(model)), description_(std::move(description)) {}

  std::unique_ptr<InferenceWorker> make_worker(const InferenceOptions& options) const override {
    initialise_vector_math();
    // LibTorch ends the process if the system refuses it a thread.
    if (options.threads > 1) expect_threads(options.threads);
    return std::make_unique<ModuleWorker>(model_, options);
  }
  const ModelOptions& options() const override { return model_->options(); }
  bool is_on_cpu() const override { return dragoman::is_on_cpu(model_); }
  std::string description() const override { return description_; }

 private:
  Transformer model_;
  std::string description_;
};

}  // namespace

std::shared_ptr<const InferenceModel> module_model(const Transformer& model,
                                                   const SearchOptions& search, bool packed) {
  if (!is_on_cpu(model)) {
    const auto type = type_on_device(search.precision);
    const auto place = model->parameters().front().device().str();
    return std::make_shared<ModuleModel>(
        with_weights_in(model, type),
        concat(name_of_type(type), " weights of LibTorch's modules on ", place));
  }
  const auto type = weight_type(search.precision);
  if (!packed || !has_packable_weights(model)) {
    auto plain = model;
    plain->eval();
    return std::make_shared<ModuleModel>(plain, "the weights of LibTorch's modules");
  }
  const bool by_torch = type == WeightType::float32 && !has_packed_kernel(type);
  return std::make_shared<ModuleModel>(
      with_packed_weights(model, type),
      concat(name_of_type(type), " weights ",
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

#include "dragoman/decoding/module_model.h"

#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/data/batch.h"
#include "dragoman/decoding/model_scorers.h"
#include "dragoman/decoding/module_weights.h"
#include "dragoman/decoding/pack_weights.h"
#include "dragoman/decoding/token_log_probs.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/tensor/thread_count.h"
#include "dragoman/tensor/vector_math.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// A stream of a GPU for one thread, so that threads do not wait for each other. It is lent again
/// when it is given back: LibTorch keeps memory for every stream that was ever used.
class LentStream {
 public:
  explicit LentStream(const at::Device& device) : stream_(idle_or_new(device)) {}
  ~LentStream() {
    const std::lock_guard lock(idle().mutex);
    idle().streams.push_back(stream_);
  }
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

  const c10::Stream& stream() const { return stream_; }

 private:
  struct Idle {
    std::mutex mutex;
    std::vector<c10::Stream> streams;
  };

  static Idle& idle() {
    static auto& idle = *new Idle;  // never freed: threads may end after static objects
    return idle;
  }

  static c10::Stream idle_or_new(const at::Device& device) {
    const std::lock_guard lock(idle().mutex);
    auto& streams = idle().streams;
    const auto found = std::ranges::find(streams, device, &c10::Stream::device);
    if (found == streams.end())
      return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
    const auto stream = *found;
    streams.erase(found);
    return stream;
  }

  c10::Stream stream_;
};

/// The stream of this thread's workers on a GPU; null elsewhere.
std::shared_ptr<const LentStream> stream_of_thread(const at::Device& device) {
  thread_local std::map<c10::DeviceIndex, std::weak_ptr<const LentStream>> streams;
  if (!device.is_cuda()) return nullptr;
  auto& known = streams[device.index()];
  auto stream = known.lock();
  if (!stream) known = stream = std::make_shared<const LentStream>(device);
  return stream;
}

/// Where a worker computes.
struct Place {
  std::int64_t threads = 1;                            // of LibTorch's
  std::shared_ptr<const LentStream> stream = nullptr;  // the same for all models of an ensemble
};

/// While it exists, this thread records no gradients and computes in its place.
class InferenceScope {
 public:
  explicit InferenceScope(const Place& place) : own_threads_(static_cast<int>(place.threads)) {
    if (place.stream) own_stream_.reset_stream(place.stream->stream());
  }

 private:
  ThreadCount own_threads_;
  c10::OptionalStreamGuard own_stream_;
  c10::InferenceMode inference_;
};

/// Another scorer within an InferenceScope.
class ScopedScorer : public ModuleScorer {
 public:
  ScopedScorer(std::unique_ptr<ModuleScorer> scorer, const Place& place)
      : scorer_(std::move(scorer)), place_(place) {}

  void advance(std::span<const std::int64_t> tokens) override {
    const InferenceScope scope(place_);
    scorer_->advance(tokens);
  }
  Logits logits(std::int64_t first, std::int64_t count) override {
    const InferenceScope scope(place_);
    return scorer_->logits(first, count);
  }
  at::Tensor next_logits() override {
    const InferenceScope scope(place_);
    return scorer_->next_logits();
  }
  bool ranks_tokens() const override { return scorer_->ranks_tokens(); }
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override {
    const InferenceScope scope(place_);
    return ModuleScorer::rank_tokens(request, others);
  }
  std::int64_t rows_at_once() const override { return scorer_->rows_at_once(); }
  std::vector<double> coverage() override {
    const InferenceScope scope(place_);
    return scorer_->coverage();
  }
  void select_rows(std::span<const std::int64_t> rows) override {
    const InferenceScope scope(place_);
    scorer_->select_rows(rows);
  }
  void select_sentences(std::span<const std::int64_t> sentences) override {
    const InferenceScope scope(place_);
    scorer_->select_sentences(sentences);
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
                                         ForcedPrefixes /*prefixes*/) override {
    const InferenceScope scope(place_);
    return std::make_unique<ScopedScorer>(
        make_scorer(model_, pad_rows(sources, options_.source.pad), search), place_);
  }

  using InferenceWorker::log_probs;
  std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets,
                                            MostProbable* most_probable,
                                            const std::stop_token& stop) override {
    expect_no_stop(stop);
    const InferenceScope scope(place_);
    const auto output = pad_rows(targets, options_.target.pad).ids.to(device());
    const auto [of_tokens, largest] = token_log_probs(
        decode(sources, targets, nullptr), output, model_->vocabulary().target,
        [this](const at::Tensor& rows) { return model_->generator()->forward(rows); });
    std::vector<std::vector<float>> result;
    if (most_probable != nullptr) most_probable->clear();
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const auto* first = of_tokens[row].const_data_ptr<float>();
      result.emplace_back(first, first + targets[i].size());
      if (most_probable == nullptr) continue;
      const auto* best = largest[row].const_data_ptr<float>();
      auto& of_target = most_probable->emplace_back();
      for (std::size_t t = 0; t < targets[i].size(); ++t) of_target.push_back(first[t] >= best[t]);
    }
    return result;
  }

  std::vector<PairAttention> attention(Sentences sources, Sentences targets) override {
    const InferenceScope scope(place_);
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
  at::Device device() const { return model_->parameters().front().device(); }

  /// Teacher forcing. \return [targets, target_len, d_model]
  at::Tensor decode(Sentences sources, Sentences targets, AttentionRecord* record) {
    const auto inputs = decoder_inputs(targets, options_.target.bos);
    const auto source = pad_rows(sources, options_.source.pad);
    const auto mask = source.mask.to(device());
    const auto input = pad_rows(inputs, options_.target.pad).ids.to(device());
    return model_->decode(input, model_->encode(source.ids.to(device()), mask), mask, record);
  }

  Transformer model_;
  InferenceOptions options_;
  Place place_;
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
      : model_(std::move(model)), description_(std::move(description)) {
    // Workers read the weights on streams that would not wait for what computes them.
    const auto device = model_->parameters().front().device();
    if (device.is_cuda()) torch::cuda::synchronize(device.index());
  }

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

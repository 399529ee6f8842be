#include "dragoman/train/training_checkpoint.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/fingerprint.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/tensor_file.h"

#include <c10/util/Exception.h>

#include <string_view>

namespace dragoman {

namespace {

/// Rank 0's numbers on every rank, whichever device they are on.
void broadcast_tensor(Communicator& group, at::Tensor& flat) {
  auto host = flat.cpu();
  group.broadcast({static_cast<std::byte*>(host.mutable_data_ptr()), host.nbytes()});
  if (!flat.device().is_cpu()) flat.copy_(host);
}

/// \return memory of the host for a copy of `flat`, pinned if that is on a GPU and the system
///     allows it
at::Tensor host_memory(const at::Tensor& flat) {
  const auto options = flat.options().device(at::kCPU);
  if (!flat.is_cuda()) return at::empty(flat.sizes(), options);
  try {
    return at::empty(flat.sizes(), options.pinned_memory(true));
  } catch (const c10::Error& error) {
    log_debug(concat("checkpoint: memory without pinning, which is slower to copy to: ",
                     error.what_without_backtrace()));
    return at::empty(flat.sizes(), options);
  }
}

/// What the file of the optimizer holds, and where each part comes from: the moments and, if the
/// checkpoint's model is an average, the weights being trained.
/// \param visit called with the name of a part and its numbers, [size]
template <typename Visit>
void for_optimizer_parts(const TrainingParts& parts, const Visit& visit) {
  visit("first_moment", parts.adam.first_moment());
  visit("second_moment", parts.adam.second_moment());
  if (parts.average.enabled()) visit("parameter", parts.workers.weights());
}

/// \throws FormatError if a tensor is missing, of another shape or not finite
void read_optimizer(const std::filesystem::path& file, const TrainingParts& parts) {
  const auto tensors = load_tensors(file);
  expect_finite(tensors, file.string());
  for_optimizer_parts(parts, [&](const std::string& kind, at::Tensor& flat) {
    for (auto& [name, view] : parts.workers.parameters().named(flat)) {
      const auto found = tensors.find(concat(kind, ".", name));
      if (found == tensors.end() || found->second.sizes() != view.sizes())
        throw FormatError(concat(file.string(), ": ", kind, ".", name,
                                 " is missing or of another shape; use another checkpoint"));
      view.copy_(found->second);
    }
  });
}

/// \param flat [size] \return a copy in the host's memory
at::Tensor host_copy(const at::Tensor& flat, WorkerPool& pool) {
  auto host = host_memory(flat);
  pool.parallel_for(flat.size(0), [&](std::int64_t begin, std::int64_t end) {
    host.slice(0, begin, end).copy_(flat.slice(0, begin, end));
  });
  return host;
}

}  // namespace

void load_training(const Checkpoint& checkpoint, const TrainingParts& parts,
                   ValidationMetric early_stopping) {
  parts.state = read_training_state(checkpoint.path);
  const auto validation = checkpoint.path / validation_file;
  if (std::filesystem::exists(validation) &&
      !note_later_validation(
          parts.state,
          nlohmann::json::parse(read_regular_file(validation), nullptr, /*allow_exceptions=*/false),
          early_stopping))
    log_warning(
        concat(validation.string(), ": is damaged; the checkpoint counts as not validated"));
  const auto config = checkpoint.path / config_file;
  if (std::filesystem::exists(config) &&
      read_stored_options(config).train.early_stopping_metric != early_stopping)
    count_validations_without_gain(parts.state, early_stopping);
  load_parameters(parts.workers.model().module(), checkpoint.path / model_file);
  if (parts.average.enabled()) parts.average.values().copy_(parts.workers.weights());
  read_optimizer(checkpoint.path / optimizer_file, parts);
  parts.adam.set_steps(parts.state.step);
}

TrainingSnapshot take_snapshot(const TrainingParts& parts) {
  auto& workers = parts.workers;
  const auto copy = [&workers](const at::Tensor& flat) { return host_copy(flat, workers.pool()); };
  TrainingSnapshot snapshot{.step = parts.state.step, .state = to_json(parts.state).dump(1) + "\n"};
  // The average is what translates; the weights being trained are stored with the optimizer.
  const auto weights = copy(parts.average.enabled() ? parts.average.values() : workers.weights());
  for (auto& [name, view] : workers.parameters().named(weights)) snapshot.weights[name] = view;
  for_optimizer_parts(parts, [&](const std::string& kind, const at::Tensor& flat) {
    for (auto& [name, view] : workers.parameters().named(copy(flat)))
      snapshot.optimizer[concat(kind, ".", name)] = view;
  });
  return snapshot;
}

void save_training(CheckpointStore& store, const Trainable& model,
                   const TrainingSnapshot& snapshot) {
  store.save(snapshot.step, [&](CheckpointWriter& writer) {
    model.write(writer, snapshot.weights);
    write_tensors(writer, optimizer_file, snapshot.optimizer);
    writer.write(state_file, snapshot.state);
  });
  store.retain();
}

void save_validation(CheckpointStore& store, const TrainingState& state) {
  if (const auto checkpoint = store.find(checkpoint_name(state.step)))
    write_file_atomically(checkpoint->path / validation_file,
                          to_validation_file(state).dump(1) + "\n");
  mark_best_checkpoints(store, state);
  store.retain();
}

void mark_best_checkpoints(CheckpointStore& store, const TrainingState& state) {
  for (const auto& [metric, best] : state.best) {
    const auto marked = store.best(metric);
    const bool is_marked = marked && marked->step == best.step;
    if (!is_marked && store.find(checkpoint_name(best.step))) store.mark_best(metric, best.step);
  }
}

void align_training(Communicator& group, const TrainingParts& parts) {
  if (group.size() == 1) return;
  const auto host = parts.workers.weights().cpu();
  const std::string_view bytes(static_cast<const char*>(host.const_data_ptr()), host.nbytes());
  const auto others = differing_ranks(group, std::to_string(fingerprint(bytes)));
  if (others.empty()) return;
  if (group.rank() == 0)
    log_warning(concat("step ", parts.state.step, ": the weights of rank ", others,
                       " differ from those of rank 0; all ranks continue with rank 0's"));
  share_training(group, parts);
}

void share_training(Communicator& group, const TrainingParts& parts) {
  if (group.size() == 1) return;
  const auto state = broadcast_text(group, to_json(parts.state).dump());
  parts.state = training_state_from(nlohmann::json::parse(state), "the state of rank 0");
  broadcast_tensor(group, parts.workers.weights());
  broadcast_tensor(group, parts.adam.first_moment());
  broadcast_tensor(group, parts.adam.second_moment());
  if (parts.average.enabled()) broadcast_tensor(group, parts.average.values());
  parts.adam.set_steps(parts.state.step);
}

}  // namespace dragoman

#include "dragoman/train/training_checkpoint.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/optimizer_file.h"

#include <functional>
#include <string_view>

namespace dragoman {

namespace {

/// Rank 0's numbers on every rank, whichever device they are on.
void broadcast_tensor(Communicator& group, at::Tensor& flat) {
  auto host = flat.cpu();
  group.broadcast({static_cast<std::byte*>(host.mutable_data_ptr()), host.nbytes()});
  if (!flat.device().is_cpu()) flat.copy_(host);
}

}  // namespace

void load_training(const Checkpoint& checkpoint, const TrainingParts& parts) {
  const auto place = checkpoint.path / "state.json";
  parts.state =
      training_state_from(nlohmann::json::parse(read_regular_file(place)), place.string());
  auto& parameters = parts.replicas.parameters();
  load_parameters(*parts.replicas.model(), checkpoint.path / model_file);
  if (parts.average.defined()) parts.average.copy_(parameters.values());
  read_optimizer(checkpoint.path, parameters, parts.adam,
                 parts.average.defined() ? &parameters.values() : nullptr);
  parts.adam.set_steps(parts.state.step);
}

void save_training(CheckpointStore& store, const RunOptions& options, const Vocabulary& vocabulary,
                   const TrainingParts& parts) {
  auto& parameters = parts.replicas.parameters();
  at::Tensor raw;
  if (parts.average.defined()) {
    // The average is what translates; the weights being trained are stored with the optimizer.
    raw = parameters.values().clone();
    parameters.values().copy_(parts.average);
  }
  const auto step = parts.state.step;
  store.save(step, [&](CheckpointWriter& writer) {
    write_model(writer, options, *parts.replicas.model(), vocabulary);
    write_optimizer(writer, parameters, parts.adam, raw);
    writer.write("state.json", to_json(parts.state).dump(1) + "\n");
  });
  if (raw.defined()) parameters.values().copy_(raw);
  for (const auto& [metric, best] : parts.state.best)
    if (best.step == step) store.mark_best(metric, best.step);
  store.retain();
}

void align_training(Communicator& group, const TrainingParts& parts) {
  if (group.size() == 1) return;
  const auto host = parts.replicas.parameters().values().cpu();
  const std::string_view bytes(static_cast<const char*>(host.const_data_ptr()), host.nbytes());
  const auto all = group.gather(std::to_string(std::hash<std::string_view>()(bytes)));
  std::string others;
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all.front()) others += concat(others.empty() ? "" : ", ", rank);
  if (others.empty()) return;
  if (group.rank() == 0)
    log_warning(concat("step ", parts.state.step, ": the weights of rank ", others,
                       " are not those of rank 0; all continue with those of rank 0"));
  share_training(group, parts);
}

void share_training(Communicator& group, const TrainingParts& parts) {
  if (group.size() == 1) return;
  const auto state = broadcast_text(group, to_json(parts.state).dump());
  parts.state = training_state_from(nlohmann::json::parse(state), "the state of rank 0");
  broadcast_tensor(group, parts.replicas.parameters().values());
  broadcast_tensor(group, parts.adam.first_moment());
  broadcast_tensor(group, parts.adam.second_moment());
  if (parts.average.defined()) broadcast_tensor(group, parts.average);
  parts.adam.set_steps(parts.state.step);
}

}  // namespace dragoman

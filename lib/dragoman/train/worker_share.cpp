#include "dragoman/train/worker_share.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/training_setup.h"

#include <torch/cuda.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace dragoman {

namespace {

/// Rows of a batch that a worker has at least, if the number of workers is chosen.
constexpr std::int64_t least_rows = 256;

struct CoreShare {
  BoundCores bound;
  std::int64_t own = 1;  ///< that this rank may count as its own
};

/// Each core counts as one divided by the number of ranks that may run on it.
CoreShare share_of_cores(Communicator& group) {
  const auto host = group.host();
  const auto cores = own_cores();
  const auto all = group.gather(nlohmann::json{{"host", host}, {"cores", cores}}.dump());
  std::map<int, int> users;
  for (const auto& text : all) {
    const auto place = nlohmann::json::parse(text);
    if (place.at("host") != host) continue;
    for (const int core : place.at("cores")) ++users[core];
  }
  double share = 0.0;
  for (const int core : cores) share += 1.0 / users.at(core);
  const auto ranks = group.local_size();
  return {.bound = {.own = std::ssize(cores), .host = reachable_cores(), .ranks = ranks},
          .own = within_quota(static_cast<std::int64_t>(share + 1e-6), quota_of_cores(), ranks)};
}

}  // namespace

std::optional<std::string> binding_warning(const BoundCores& cores) {
  if (2 * cores.own * cores.ranks >= cores.host) return std::nullopt;
  const auto fair = cores.host / cores.ranks;
  return concat("train.workers: this process may use ", cores.own, " of ", cores.host,
                " cores, since its launcher bound it to them; start it with mpirun --bind-to none "
                "(or --map-by slot:PE=",
                fair, ", srun -c ", fair, "), or set train.workers");
}

WorkerPlan plan_workers(const TrainOptions& options, std::int64_t cores, std::int64_t parameters,
                        std::int64_t memory) {
  if (options.workers > 0)
    return {.workers = options.workers, .threads = std::max<std::int64_t>(1, options.threads)};
  const auto gradient =
      static_cast<std::int64_t>(at::elementSize(weight_dtype(options.precision))) *
      std::max<std::int64_t>(1, parameters);
  const auto most = std::min(options.batch_tokens / least_rows, memory / 8 / gradient);
  if (options.threads > 0) {
    const auto fitting = std::max<std::int64_t>(1, cores / options.threads);
    return {.workers = std::clamp<std::int64_t>(most, 1, fitting), .threads = options.threads};
  }
  auto workers = std::clamp<std::int64_t>(most, 1, cores);
  while (cores % workers != 0) --workers;  // no core is left over
  return {.workers = workers, .threads = cores / workers};
}

std::int64_t within_quota(std::int64_t cores, std::optional<std::int64_t> quota,
                          std::int64_t processes) {
  if (quota) cores = std::min(cores, *quota / processes);
  return std::max<std::int64_t>(1, cores);
}

WorkerPlan plan_workers(const TrainOptions& options, const c10::Device& device,
                        std::int64_t parameters, std::int64_t processes) {
  if (!device.is_cpu()) return {};
  // A launcher may have bound each process to its share already.
  const auto bound = std::min<std::int64_t>(std::ssize(own_cores()), reachable_cores() / processes);
  return plan_workers(options, within_quota(bound, quota_of_cores(), processes), parameters,
                      machine_memory() / processes);
}

WorkerShare share_workers(Communicator& group, const c10::Device& device,
                          const TrainOptions& options, std::int64_t parameters) {
  if (!device.is_cpu() && (options.workers > 1 || options.threads > 0))
    log_warning(concat("train.workers, train.threads: have no effect on ", device.str(),
                       ", which is used by a single worker; leave them out"));
  WorkerPlan plan = plan_workers(options, device, parameters);
  if (group.size() > 1) {
    const auto cores = share_of_cores(group);
    if (device.is_cpu())
      plan = plan_workers(options, cores.own, parameters, machine_memory() / cores.bound.ranks);
    std::optional<std::string> warning;
    if (device.is_cpu() && options.workers == 0 && group.local_rank() == 0)
      warning = binding_warning(cores.bound);
    const auto warnings =
        group.gather(warning ? concat(host_name(), ": ", *warning) : std::string());
    if (group.rank() == 0)
      for (const auto& text : warnings)
        if (!text.empty()) log_warning(text);
  }
  WorkerShare share{.workers = plan.workers, .first = 0, .all = 0, .threads = plan.threads};
  const auto counts = group.gather(std::to_string(share.workers));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (static_cast<std::int64_t>(rank) == group.rank()) share.first = share.all;
    share.all += std::stoll(counts[rank]);
  }
  return share;
}

c10::Device device_of_rank(const Communicator& group, const std::string& name) {
  const auto device = find_device(name);
  if (!device.is_cuda() || name.find(':') != std::string::npos) return device;
  const auto index = group.local_rank() % static_cast<std::int64_t>(torch::cuda::device_count());
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace dragoman

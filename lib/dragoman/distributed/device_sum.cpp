#include "dragoman/distributed/device_sum.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#ifdef DRAGOMAN_HAS_NCCL
#include "dragoman/distributed/nccl_sum.h"
#endif

#include <nlohmann/json.hpp>

#include <map>

namespace dragoman {

namespace {

#ifdef DRAGOMAN_HAS_NCCL

constexpr bool has_nccl = true;

std::unique_ptr<DeviceSum> join_by_nccl(Communicator& group, const c10::Device& device) {
  return std::make_unique<NcclSum>(group, device);
}

#else

constexpr bool has_nccl = false;

std::string gpu_address(const c10::Device& device) { return device.str(); }

std::unique_ptr<DeviceSum> join_by_nccl(Communicator&, const c10::Device&) {
  throw ContractError("join_devices: all ranks except this one have NCCL");
}

#endif

}  // namespace

SumChoice choose_sum(const std::vector<GradientPlace>& ranks) {
  std::map<std::pair<std::int64_t, std::string>, std::size_t> owners;
  SumChoice choice{.by_nccl = true, .obstacle = {}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& place = ranks[rank];
    if (place.device.empty()) return {};
    const auto [owner, is_first] = owners.emplace(std::pair(place.host, place.device), rank);
    if (!choice.by_nccl) continue;
    if (!place.nccl)
      choice = {.by_nccl = false, .obstacle = concat("rank ", rank, "'s program has no NCCL")};
    else if (!is_first)
      choice = {.by_nccl = false,
                .obstacle = concat("ranks ", owner->second, " and ", rank, " share a GPU")};
  }
  return choice;
}

std::unique_ptr<DeviceSum> join_devices(Communicator& group, const c10::Device& device) {
  std::vector<GradientPlace> ranks;
  const nlohmann::json said{{"host", group.host()},
                            {"device", device.is_cpu() ? "" : gpu_address(device)},
                            {"nccl", has_nccl}};
  for (const auto& text : group.gather(said.dump())) {
    const auto place = nlohmann::json::parse(text);
    ranks.push_back(
        {.host = place.at("host"), .device = place.at("device"), .nccl = place.at("nccl")});
  }
  const auto choice = choose_sum(ranks);
  if (choice.by_nccl) return join_by_nccl(group, device);
  if (!choice.obstacle.empty())
    log_info(concat("gradients are summed in host memory, not by NCCL: ", choice.obstacle));
  return nullptr;
}

#ifndef DRAGOMAN_HAS_NCCL
std::string nccl_description() { return {}; }
#endif

}  // namespace dragoman

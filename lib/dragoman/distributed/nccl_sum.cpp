#include "dragoman/distributed/nccl_sum.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/cuda/CUDAStream.h>

#include <nccl.h>

#include <array>
#include <chrono>
#include <exception>
#include <thread>

namespace dragoman {

namespace {

using namespace std::chrono_literals;

/// \param ranks null before NCCL has started
void expect_success(ncclResult_t result, const char* call, ncclComm_t ranks) {
  if (result == ncclSuccess) return;
  throw DataError(concat("NCCL: ", call, ": ", ncclGetErrorString(result), " (",
                         ncclGetLastError(ranks),
                         "); NCCL_DEBUG=INFO in the environment gives details; a build with "
                         "-DDRAGOMAN_WITH_NCCL=OFF works without NCCL"));
}

c10::Stream current_stream(const c10::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

/// With priority over computation: sums are short, and other ranks wait for them.
c10::Stream urgent_stream(const c10::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type())
      .getStreamFromGlobalPool(device, /*isHighPriority=*/true);
}

ncclUniqueId id_of_rank_0(Communicator& group) {
  ncclUniqueId id{};
  if (group.rank() == 0) expect_success(ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr);
  group.broadcast(std::as_writable_bytes(std::span(id.internal)));
  return id;
}

ncclDataType_t nccl_type(const at::Tensor& numbers) {
  if (numbers.scalar_type() == at::kFloat) return ncclFloat32;
  if (numbers.scalar_type() == at::kDouble) return ncclFloat64;
  throw ContractError("NcclSum: the values are neither float32 nor float64");
}

}  // namespace

NcclSum::NcclSum(Communicator& group, const c10::Device& device)
    : device_(device),
      stream_(urgent_stream(device)),
      written_(device.type()),
      summed_(device.type()),
      exceptions_(std::uncaught_exceptions()) {
  const auto id = id_of_rank_0(group);
  const c10::DeviceGuard guard(device_);
  expect_success(
      ncclCommInitRank(&ranks_, static_cast<int>(group.size()), id, static_cast<int>(group.rank())),
      "ncclCommInitRank", nullptr);
}

NcclSum::~NcclSum() {
  const c10::DeviceGuard guard(device_);
  if (std::uncaught_exceptions() > exceptions_)
    ncclCommAbort(ranks_);
  else
    ncclCommDestroy(ranks_);
}

void NcclSum::start(const at::Tensor& numbers) {
  const c10::DeviceGuard guard(device_);
  written_.record(current_stream(device_));
  written_.block(stream_);
  auto* data = numbers.mutable_data_ptr();
  expect_success(
      ncclAllReduce(data, data, static_cast<std::size_t>(numbers.numel()), nccl_type(numbers),
                    ncclSum, ranks_, c10::cuda::CUDAStream(stream_).stream()),
      "ncclAllReduce", ranks_);
}

void NcclSum::finish() {
  const c10::DeviceGuard guard(device_);
  summed_.record(stream_);
  summed_.block(current_stream(device_));
  // The GPU would wait forever, without notice, for a rank that NCCL cannot reach.
  while (!summed_.query()) {
    ncclResult_t state = ncclSuccess;
    expect_success(ncclCommGetAsyncError(ranks_, &state), "ncclCommGetAsyncError", ranks_);
    expect_success(state, "a sum", ranks_);
    std::this_thread::sleep_for(20us);
  }
}

std::string gpu_address(const c10::Device& device) {
  std::array<char, 32> address{};
  const auto result =
      cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device.index());
  if (result != cudaSuccess)
    throw DataError(concat(device.str(), ": its PCI address is unknown: ",
                           cudaGetErrorString(result), "; check whether nvidia-smi finds the GPU"));
  return address.data();
}

std::string nccl_description() {
  int version = 0;
  ncclGetVersion(&version);  // 22907 = 2.29.7
  return concat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

}  // namespace dragoman

#include "dragoman/decoding/inference_scope.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace dragoman {

namespace {

struct IdleStreams {
  std::mutex mutex;
  std::vector<c10::Stream> streams;
};

IdleStreams& idle_streams() {
  static auto& idle = *new IdleStreams;  // never freed: threads may end after static objects
  return idle;
}

c10::Stream idle_or_new(const c10::Device& device) {
  const std::lock_guard lock(idle_streams().mutex);
  auto& streams = idle_streams().streams;
  const auto found = std::ranges::find(streams, device, &c10::Stream::device);
  if (found == streams.end())
    return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  const auto stream = *found;
  streams.erase(found);
  return stream;
}

}  // namespace

LentStream::LentStream(const c10::Device& device) : stream_(idle_or_new(device)) {}

LentStream::~LentStream() {
  const std::lock_guard lock(idle_streams().mutex);
  idle_streams().streams.push_back(stream_);
}

std::shared_ptr<const LentStream> stream_of_thread(const c10::Device& device) {
  thread_local std::map<c10::DeviceIndex, std::weak_ptr<const LentStream>> streams;
  if (!device.is_cuda()) return nullptr;
  auto& known = streams[device.index()];
  auto stream = known.lock();
  if (!stream) known = stream = std::make_shared<const LentStream>(device);
  return stream;
}

}  // namespace dragoman

#include "dragoman/distributed/communicator.h"

#include <utility>

namespace dragoman {

namespace {

/// A channel that no gradient bucket uses.
constexpr std::int64_t lone_channel = 16000;

}  // namespace

std::string broadcast_text(Communicator& group, std::string text) {
  std::uint64_t size = text.size();
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  group.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

void sum(Communicator& group, std::span<double> values) {
  group.start_sum(values, lone_channel);
  group.wait();
}

}  // namespace dragoman

#include "dragoman/distributed/communicator.h"

#include "dragoman/core/joined.h"

#include <utility>

namespace dragoman {

namespace {

/// A channel that no gradient bucket uses.
constexpr std::int64_t control_channel = 16000;

}  // namespace

std::string broadcast_text(Communicator& group, std::string text) {
  std::uint64_t size = text.size();
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  group.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

std::string differing_ranks(Communicator& group, const std::string& text) {
  const auto all = group.gather(text);
  std::vector<std::string> ranks;
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all.front()) ranks.push_back(std::to_string(rank));
  return joined(ranks);
}

void sum(Communicator& group, std::span<double> values) {
  group.start_sum(values, control_channel);
  group.wait();
}

}  // namespace dragoman

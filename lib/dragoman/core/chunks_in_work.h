#pragma once

#include "dragoman/core/thread.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace dragoman {

/// A pipeline over parts of a long text, each processed by its own thread and returned in input
/// order: while one is processed, the previous one is written and the next one is read and queued,
/// so that no worker idles at the end of a part.
template <typename Chunk, typename Result>
class ChunksInWork {
 public:
  bool empty() const { return chunks_.empty(); }

  /// Whether another one may be started.
  bool has_room() const { return chunks_.size() < most; }

  /// Begins `work(chunk)`. \throws DataError if the system refuses a thread
  void start(Chunk chunk, std::function<Result(const Chunk&)> work) {
    auto& added = chunks_.emplace_back();
    added.chunk = std::move(chunk);
    std::packaged_task<Result()> task(
        [&own = added.chunk, work = std::move(work)] { return work(own); });
    added.result = task.get_future();
    added.caller = start_thread<std::jthread>(std::move(task));
  }

  /// Waits for the first one, and removes it. \throws what its work threw
  std::pair<Chunk, Result> take_first() {
    chunks_.front().result.wait();  // until then the work reads the chunk where it is
    auto first = std::move(chunks_.front());
    chunks_.pop_front();
    auto result = first.result.get();
    return {std::move(first.chunk), std::move(result)};
  }

 private:
  static constexpr std::size_t most = 2;

  struct InWork {
    Chunk chunk;
    std::future<Result> result;
    std::jthread caller;  // waits for its end
  };

  std::deque<InWork> chunks_;
};

}  // namespace dragoman

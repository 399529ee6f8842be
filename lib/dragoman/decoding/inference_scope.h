#pragma once

#include "dragoman/tensor/thread_count.h"

#include <c10/core/InferenceMode.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <cstdint>
#include <memory>

namespace dragoman {

/// A stream of a GPU for one thread, so that threads do not wait for each other. It is lent again
/// when it is given back: LibTorch keeps memory for every stream that was ever used.
class LentStream {
 public:
  explicit LentStream(const c10::Device& device);
  ~LentStream();
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

  const c10::Stream& stream() const { return stream_; }

 private:
  c10::Stream stream_;
};

/// The stream of this thread's workers on a GPU; null elsewhere.
std::shared_ptr<const LentStream> stream_of_thread(const c10::Device& device);

/// Where a worker computes.
struct Place {
  std::int64_t threads = 1;                            ///< of LibTorch's
  std::shared_ptr<const LentStream> stream = nullptr;  ///< the same for all models of an ensemble
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

}  // namespace dragoman

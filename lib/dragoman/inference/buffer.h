#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace dragoman {

/// Memory for numbers that grows and never shrinks, for results that are overwritten again and
/// again.
class Buffer {
 public:
  /// Room for `size` numbers, aligned for vectors. What was in it before is lost if it has to grow.
  float* of_size(std::int64_t size) {
    if (size > size_) {
      numbers_.reset();
      size_ = 0;  // in case the next line throws
      numbers_.reset(static_cast<float*>(
          ::operator new[](static_cast<std::size_t>(size) * sizeof(float), alignment)));
      size_ = size;
    }
    return numbers_.get();
  }

  float* data() const { return numbers_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(float* numbers) const { ::operator delete[](numbers, alignment); }
  };

  std::unique_ptr<float[], Free> numbers_;
  std::int64_t size_ = 0;
};

}  // namespace dragoman

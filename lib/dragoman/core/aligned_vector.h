#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dragoman {

/// Memory that begins at a multiple of 64 bytes, as cache lines do: a vector of the processor that
/// is read at a multiple of 64 bytes from there lies in one of them.
template <typename T>
struct CacheLineAllocator {
  using value_type = T;

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t size) {
    return static_cast<T*>(::operator new(size * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }

  bool operator==(const CacheLineAllocator&) const = default;

 private:
  static constexpr std::align_val_t alignment{64};
};

template <typename T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace dragoman

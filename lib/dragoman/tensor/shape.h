#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dragoman {

/// One axis of an expected shape: a required size, or the name of a free one.
class Axis {
 public:
  Axis(std::int64_t size) : size_(size) {}            // NOLINT: {batch, 3, 16} reads as a shape
  Axis(const char* name) : size_(-1), name_(name) {}  // NOLINT: the same

  bool free() const { return size_ < 0; }
  std::int64_t size() const { return size_; }
  std::string_view name() const { return name_; }

 private:
  std::int64_t size_;
  std::string_view name_;
};

/// \throws ContractError such as "memory is [2, 5, 8], expected [batch, source_len, 16]"
void expect_shape(std::string_view name, const at::Tensor& tensor,
                  std::initializer_list<Axis> expected);

}  // namespace dragoman

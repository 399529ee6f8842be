#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace test {

/// While an instance exists, counts the multiply-adds of the products that LibTorch computes for
/// this thread.
class ProductCounter {
 public:
  ProductCounter()
      : handle_(
            at::addThreadLocalCallback(at::RecordFunctionCallback(count).needsInputs(true).scopes(
                {at::RecordScope::FUNCTION}))) {
    total() = 0;
  }
  ~ProductCounter() { at::removeCallback(handle_); }
  ProductCounter(const ProductCounter&) = delete;
  ProductCounter& operator=(const ProductCounter&) = delete;

  std::int64_t multiply_adds() const { return total(); }

 private:
  static std::int64_t& total() {
    static thread_local std::int64_t sum = 0;
    return sum;
  }

  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
    const std::string_view name = function.name();
    const auto tensor = [&](std::size_t i) { return function.inputs()[i].toTensor(); };
    // All rows of the left factor by the columns of the right one.
    if (name == "aten::mm" || name == "aten::bmm")
      total() += tensor(0).numel() * tensor(1).size(-1);
    if (name == "aten::addmm" || name == "aten::baddbmm")
      total() += tensor(1).numel() * tensor(2).size(-1);
    if (name == "aten::convolution")
      total() += tensor(1).numel() * (tensor(0).size(2) - tensor(1).size(2) + 1);
    return nullptr;
  }

  at::CallbackHandle handle_;
};

}  // namespace test

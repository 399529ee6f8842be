#pragma once

#include "dragoman/config/train_options.h"

#include <ATen/core/Tensor.h>

namespace dragoman {

/// While an instance exists, the matrix products of this thread run in bf16 if `precision` says so.
class Autocast {
 public:
  Autocast(const c10::Device& device, Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool active_;
  bool before_ = false;
  at::ScalarType type_before_ = at::kHalf;
};

/// Whether the products of this thread run in a shorter type on a device, and in which: as
/// they do now, for a backward pass that repeats a part of the forward pass.
struct ProductTypes {
  static ProductTypes now(c10::DeviceType device);

  c10::DeviceType device;
  bool autocast;
  at::ScalarType type;
};

/// While an instance exists, products run as `types` says. Casts are not cached: a leaf in the
/// backward pass would accumulate its gradients in bf16.
class ProductTypesScope {
 public:
  explicit ProductTypesScope(const ProductTypes& types);
  ~ProductTypesScope();
  ProductTypesScope(const ProductTypesScope&) = delete;
  ProductTypesScope& operator=(const ProductTypesScope&) = delete;

 private:
  ProductTypes outer_;
  bool cache_;
};

/// While an instance exists, this thread computes in float32 whatever `Autocast` says, if LibTorch
/// has no bfloat16 kernel for recurrences on this device: oneDNN's needs AVX-512, and on a GPU
/// autocast computes them in float16, whatever type it is set to.
class RecurrenceInSupportedType {
 public:
  explicit RecurrenceInSupportedType(const c10::Device& device);
  ~RecurrenceInSupportedType();
  RecurrenceInSupportedType(const RecurrenceInSupportedType&) = delete;
  RecurrenceInSupportedType& operator=(const RecurrenceInSupportedType&) = delete;

  /// `x` in float32 while autocast is paused, else `x` itself.
  at::Tensor input(const at::Tensor& x) const;

 private:
  c10::DeviceType type_;
  bool paused_;
};

/// `x` in the type in which this thread's products read it: bf16 under `Autocast`, cast
/// once for all the products that share it; else `x` itself.
at::Tensor as_product_input(const at::Tensor& x);

/// `x` in the type in which the layers pass it on: under `Autocast` in bf16 on a GPU,
/// where reading and writing takes most of the time of norms, dropout and residual connections; on
/// a CPU `x` itself.
at::Tensor as_hidden_state(const at::Tensor& x);

/// `x`, or `x` in float32 if its type has lower precision: the type in which softmax is computed.
at::Tensor at_least_float(const at::Tensor& x);

}  // namespace dragoman

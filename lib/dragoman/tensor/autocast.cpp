#include "dragoman/tensor/autocast.h"

#include <ATen/autocast_mode.h>

namespace dragoman {

namespace {

void set(const ProductTypes& types) {
  at::autocast::set_autocast_enabled(types.device, types.autocast);
  at::autocast::set_autocast_dtype(types.device, types.type);
}

/// On a CPU.
bool has_bf16_recurrence() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

Autocast::Autocast(const c10::Device& device, Precision precision)
    : device_(device.type()), active_(precision == Precision::bf16) {
  if (!active_) return;
  before_ = at::autocast::is_autocast_enabled(device_);
  type_before_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, before_);
  at::autocast::set_autocast_dtype(device_, type_before_);
}

ProductTypes ProductTypes::now(c10::DeviceType device) {
  return {.device = device,
          .autocast = at::autocast::is_autocast_enabled(device),
          .type = at::autocast::get_autocast_dtype(device)};
}

ProductTypesScope::ProductTypesScope(const ProductTypes& types)
    : outer_(ProductTypes::now(types.device)), cache_(at::autocast::is_autocast_cache_enabled()) {
  set(types);
  at::autocast::set_autocast_cache_enabled(false);
}

ProductTypesScope::~ProductTypesScope() {
  set(outer_);
  at::autocast::set_autocast_cache_enabled(cache_);
}

RecurrenceInSupportedType::RecurrenceInSupportedType(const c10::Device& device)
    : type_(device.type()),
      paused_(at::autocast::is_autocast_enabled(type_) &&
              !(device.is_cpu() && has_bf16_recurrence())) {
  if (paused_) at::autocast::set_autocast_enabled(type_, false);
}

RecurrenceInSupportedType::~RecurrenceInSupportedType() {
  if (paused_) at::autocast::set_autocast_enabled(type_, true);
}

at::Tensor RecurrenceInSupportedType::input(const at::Tensor& x) const {
  return paused_ ? x.to(at::kFloat) : x;
}

at::Tensor as_product_input(const at::Tensor& x) {
  const auto device = x.device().type();
  if (x.scalar_type() != at::kFloat || !at::autocast::is_autocast_enabled(device)) return x;
  return x.to(at::autocast::get_autocast_dtype(device));
}

at::Tensor as_hidden_state(const at::Tensor& x) { return x.is_cpu() ? x : as_product_input(x); }

at::Tensor at_least_float(const at::Tensor& x) {
  return at::isReducedFloatingType(x.scalar_type()) ? x.to(at::kFloat) : x;
}

}  // namespace dragoman

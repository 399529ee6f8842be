#include "remote_device.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <tuple>

namespace test {

namespace {

constexpr auto remote = c10::DeviceType::PrivateUse1;

struct RemoteMemory : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = bytes == 0 ? nullptr : std::malloc(bytes);
    return {data, data, &std::free, c10::Device(remote, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

RemoteMemory& memory() {
  static RemoteMemory one;
  return one;
}

struct RemoteGuard : c10::impl::NoOpDeviceGuardImpl<remote> {
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  c10::Device getDevice() const override { return {remote, 0}; }
  c10::Device exchangeDevice(c10::Device) const override { return {remote, 0}; }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
};

struct RemoteHooks : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  /// The one that operations draw from, as they run on the CPU.
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
};

constexpr auto keys = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &memory(), keys,
                                   type.value_or(at::kFloat), format);
}

at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size),
                                           C10_AS_INTARRAYREF_SLOW(stride), &memory(), keys,
                                           type.value_or(at::kFloat));
}

/// The integers of the size of a type: bits of other types may change when they are copied.
at::ScalarType bits_of(const at::Tensor& x) {
  switch (x.itemsize()) {
    case 1: return at::kByte;
    case 2: return at::kShort;
    case 4: return at::kInt;
    default: return at::kLong;
  }
}

/// The memory of a tensor on the device as a tensor of the host: integers, still inverted.
at::Tensor stored(const at::Tensor& x) {
  return at::from_blob(const_cast<void*>(x.const_data_ptr()), x.sizes(), x.strides(),
                       at::TensorOptions(bits_of(x)));
}

void invert(const at::Tensor& x) {
  auto* bytes = static_cast<unsigned char*>(x.mutable_data_ptr());
  std::transform(bytes, bytes + x.nbytes(), bytes,
                 [](unsigned char byte) { return static_cast<unsigned char>(~byte); });
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  if (to.numel() == 0) return to;
  at::Tensor values;
  if (from.is_privateuseone()) {
    values = stored(from).clone(at::MemoryFormat::Contiguous);
    invert(values);
    values = values.view(from.scalar_type());
  } else {
    values = from;
  }
  if (!to.is_privateuseone()) return to.copy_(values);
  values = values.expand(to.sizes()).to(to.scalar_type(), false, true).contiguous();
  if (values.is_same(from)) values = values.clone();
  values = values.view(bits_of(to));
  invert(values);
  stored(to).copy_(values);
  return to;
}

const at::Tensor& resize(const at::Tensor& x, c10::SymIntArrayRef size,
                         std::optional<at::MemoryFormat>) {
  const auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * x.itemsize();
  auto storage = x.storage();
  if (storage.nbytes() < bytes) {
    auto larger = memory().allocate(bytes);
    if (storage.nbytes() > 0) std::memcpy(larger.get(), storage.data(), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(larger));
    storage.set_nbytes(bytes);
  }
  x.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return x;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

/// So that a parameter can move here: `Module::to` keeps the tensor and replaces what it holds.
bool shares_shape(const at::Tensor&, const at::Tensor&) { return true; }

/// An operation that only GPUs have: the cell of an LSTM, its gates in the order of LibTorch.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(
    const at::Tensor& of_input, const at::Tensor& of_hidden, const at::Tensor& cell,
    const std::optional<at::Tensor>& input_bias, const std::optional<at::Tensor>& hidden_bias) {
  auto gates = of_input + of_hidden;
  for (const auto& bias : {input_bias, hidden_bias})
    if (bias && bias->defined()) gates = gates + *bias;
  const auto parts = gates.chunk(4, 1);
  const auto next = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
  return {parts[3].sigmoid() * next.tanh(), next, gates};
}

/// LibTorch asks each device for a convolution of its own.
at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, std::int64_t groups) {
  const auto host_bias = bias && bias->defined() ? std::optional(bias->cpu()) : std::nullopt;
  return at::convolution(input.cpu(), weight.cpu(), host_bias, stride, padding, dilation,
                         transposed, output_padding, groups)
      .to(input.device());
}

/// On the CPU, as a GPU would: all tensors on the device, or numbers.
void compute(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto check = [&](const at::Tensor& x) {
    TORCH_CHECK(!x.defined() || x.is_privateuseone() || x.dim() == 0, op.schema().name(),
                ": expected all tensors on ", "the remote device, but one is on ", x.device());
  };
  for (const auto& value : torch::jit::last(*stack, op.schema().arguments().size())) {
    if (value.isTensor()) check(value.toTensor());
    if (value.isTensorList())
      for (std::size_t i = 0; i < value.toTensorList().size(); ++i) check(value.toTensorList()[i]);
  }
  at::native::cpu_fallback(op, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&compute>());
}

/// Where half precision is asked for, LibTorch casts nothing on this device: products run in the
/// type of their factors.
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view",
         static_cast<at::Tensor (*)(const at::Tensor&, at::IntArrayRef)>(&at::native::view));
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("_thnn_fused_lstm_cell", &lstm_cell);
  m.impl("convolution_overrideable", &convolution);
  m.impl("_has_compatible_shallow_copy_type", &shares_shape);
  m.impl("resize_", &resize);
  m.impl("unfold", &at::native::unfold);
}

c10::Device remote_device() {
  static const bool registered = [] {
    static RemoteHooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
    c10::register_privateuse1_backend("remote");
    return true;
  }();
  (void)registered;
  return {remote, 0};
}

C10_REGISTER_GUARD_IMPL(PrivateUse1, RemoteGuard);

}  // namespace test

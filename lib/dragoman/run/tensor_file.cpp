#include "dragoman/run/tensor_file.h"

#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <torch/types.h>

#include <array>
#include <cstring>
#include <utility>

namespace dragoman {

namespace {

constexpr std::array<std::pair<DType, at::ScalarType>, 16> types = {{
    {DType::boolean, at::kBool},
    {DType::u8, at::kByte},
    {DType::i8, at::kChar},
    {DType::f8_e4m3, at::kFloat8_e4m3fn},
    {DType::f8_e5m2, at::kFloat8_e5m2},
    {DType::u16, at::kUInt16},
    {DType::i16, at::kShort},
    {DType::f16, at::kHalf},
    {DType::bf16, at::kBFloat16},
    {DType::u32, at::kUInt32},
    {DType::i32, at::kInt},
    {DType::f32, at::kFloat},
    {DType::u64, at::kUInt64},
    {DType::i64, at::kLong},
    {DType::f64, at::kDouble},
    {DType::c64, at::kComplexFloat},
}};

at::ScalarType scalar_type(DType dtype) {
  for (const auto& [own, theirs] : types)
    if (own == dtype) return theirs;
  throw ContractError(concat("no tensor type for ", name_of(dtype)));
}

DType dtype_of(const std::string& name, const at::Tensor& tensor) {
  for (const auto& [own, theirs] : types)
    if (theirs == tensor.scalar_type()) return own;
  throw ContractError(
      concat("tensor '", name,
             "' has a type that safetensors files do not support: ", tensor.scalar_type()));
}

at::Tensor copy_of(const TensorView& view) {
  const auto tensor = torch::empty(view.shape, scalar_type(view.dtype));
  if (!view.bytes.empty()) std::memcpy(tensor.data_ptr(), view.bytes.data(), view.bytes.size());
  return tensor;
}

/// The file's content together with the tensors that its parts point into.
struct TensorContent {
  NamedTensors tensors;
  SafetensorsContent content;
};

TensorContent content_of(const NamedTensors& tensors, const Metadata& metadata) {
  TensorContent result;
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : tensors) {
    const auto flat = result.tensors[name] = tensor.detach().to(at::kCPU).contiguous();
    views.push_back({name,
                     dtype_of(name, flat),
                     flat.sizes().vec(),
                     {static_cast<const char*>(flat.data_ptr()), flat.nbytes()}});
  }
  result.content = make_safetensors(std::move(views), metadata);
  return result;
}

}  // namespace

NamedTensors load_tensors(const std::filesystem::path& path) {
  return load_tensors(SafetensorsFile(path));
}

NamedTensors load_tensors(const SafetensorsFile& file) {
  NamedTensors tensors;
  for (const auto& view : file.tensors()) {
    tensors.emplace(view.name, copy_of(view));
    file.drop_pages();
  }
  return tensors;
}

void write_tensors(CheckpointWriter& writer, std::string_view name, const NamedTensors& tensors,
                   const Metadata& metadata) {
  const auto content = content_of(tensors, metadata);
  writer.write(name, content.content.parts());
}

void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const Metadata& metadata) {
  const auto content = content_of(tensors, metadata);
  AtomicFile file(path);
  for (const auto part : content.content.parts()) file.append(part);
  file.commit();
}

void save_lazy_tensors(const std::filesystem::path& path,
                       const std::map<std::string, LazyTensor>& tensors, const Metadata& metadata) {
  std::vector<TensorView> views;
  std::vector<at::Tensor> places;  // for the sizes: nothing is written to them
  for (const auto& [name, tensor] : tensors) {
    const auto& place = places.emplace_back(at::empty(tensor.shape));
    views.push_back({name,
                     DType::f32,
                     tensor.shape,
                     {static_cast<const char*>(place.const_data_ptr()), place.nbytes()}});
  }
  AtomicFile file(path);
  file.append(make_safetensors(std::move(views), metadata).header);
  // All have elements of one size, so that the file has them by name, as they are here.
  for (const auto& [name, tensor] : tensors) {
    const auto made = tensor.make().to(at::kCPU, at::kFloat).contiguous();
    if (made.sizes() != at::IntArrayRef(tensor.shape))
      throw ContractError(concat("tensor '", name, "' was announced with another shape"));
    file.append({static_cast<const char*>(made.const_data_ptr()), made.nbytes()});
  }
  file.commit();
}

}  // namespace dragoman

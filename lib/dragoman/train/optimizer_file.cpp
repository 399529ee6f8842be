#include "dragoman/train/optimizer_file.h"

#include "dragoman/core/error.h"
#include "dragoman/run/tensor_file.h"

#include <string>

namespace dragoman {

namespace {

constexpr const char* file_name = "optimizer.safetensors";

}  // namespace

void write_optimizer(CheckpointWriter& writer, const FlatParameters& parameters, Adam& adam,
                     const at::Tensor& trained) {
  NamedTensors tensors;
  const auto add = [&](const std::string& kind, const at::Tensor& flat) {
    for (const auto& [name, view] : parameters.named(flat)) tensors[concat(kind, ".", name)] = view;
  };
  add("first_moment", adam.first_moment());
  add("second_moment", adam.second_moment());
  if (trained.defined()) add("parameter", trained);
  write_tensors(writer, file_name, tensors);
}

void read_optimizer(const std::filesystem::path& checkpoint, const FlatParameters& parameters,
                    Adam& adam, at::Tensor* trained) {
  const auto file = checkpoint / file_name;
  auto tensors = load_tensors(file);
  const auto restore = [&](const std::string& kind, at::Tensor& flat) {
    for (auto& [name, view] : parameters.named(flat)) {
      const auto found = tensors.find(concat(kind, ".", name));
      if (found == tensors.end() || found->second.sizes() != view.sizes())
        throw FormatError(
            concat(file.string(), ": ", kind, ".", name, " is missing or of another shape"));
      view.copy_(found->second);
    }
  };
  restore("first_moment", adam.first_moment());
  restore("second_moment", adam.second_moment());
  if (trained != nullptr) restore("parameter", *trained);
}

}  // namespace dragoman

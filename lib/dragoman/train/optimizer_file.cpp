#include "dragoman/train/optimizer_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/run/parameters.h"

#include <string>

namespace dragoman {

namespace {

constexpr const char* file_name = "optimizer.safetensors";

}  // namespace

NamedTensors optimizer_tensors(const FlatParameters& parameters, const OptimizerTensors& flat) {
  NamedTensors tensors;
  const auto add = [&](const std::string& kind, const at::Tensor& values) {
    for (const auto& [name, view] : parameters.named(values))
      tensors[concat(kind, ".", name)] = view;
  };
  add("first_moment", flat.first_moment);
  add("second_moment", flat.second_moment);
  if (flat.trained.defined()) add("parameter", flat.trained);
  return tensors;
}

void write_optimizer(CheckpointWriter& writer, const NamedTensors& tensors) {
  write_tensors(writer, file_name, tensors);
}

void read_optimizer(const std::filesystem::path& checkpoint, const FlatParameters& parameters,
                    Adam& adam, at::Tensor* trained) {
  const auto file = checkpoint / file_name;
  auto tensors = load_tensors(file);
  expect_finite(tensors, file.string());
  const auto restore = [&](const std::string& kind, at::Tensor& flat) {
    for (auto& [name, view] : parameters.named(flat)) {
      const auto found = tensors.find(concat(kind, ".", name));
      if (found == tensors.end() || found->second.sizes() != view.sizes())
        throw FormatError(concat(file.string(), ": ", kind, ".", name,
                                 " is missing or of another shape; use another checkpoint"));
      view.copy_(found->second);
    }
  };
  restore("first_moment", adam.first_moment());
  restore("second_moment", adam.second_moment());
  if (trained != nullptr) restore("parameter", *trained);
}

}  // namespace dragoman

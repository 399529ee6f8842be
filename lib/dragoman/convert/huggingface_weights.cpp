#include "dragoman/convert/huggingface_weights.h"

#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/parameters.h"
#include "dragoman/storage/torch_file.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

std::string shape_of_tensor(const std::vector<std::int64_t>& shape) {
  return nlohmann::json(shape).dump();
}

at::ScalarType floating_type(const StridedTensor& tensor, const std::string& place) {
  switch (tensor.dtype) {
    case DType::f32: return at::kFloat;
    case DType::f16: return at::kHalf;
    case DType::bf16: return at::kBFloat16;
    case DType::f64: return at::kDouble;
    default:
      throw FormatError(concat(place, ": tensor ", printable(tensor.name), ": is of the type ",
                               name_of(tensor.dtype), "; weights have a floating-point type"));
  }
}

/// Which file holds each tensor, as an index says.
std::map<std::string, std::string> weight_map(const fs::path& index) {
  const auto place = index.string();
  nlohmann::json index_json;
  try {
    index_json = parse_strict_json(read_regular_file(index), place);
  } catch (const OptionsError& error) {
    throw FormatError(error.what());
  }
  if (!index_json.is_object() || !index_json.contains("weight_map") ||
      !index_json.at("weight_map").is_object())
    throw FormatError(place + ": has no weight_map; copy it again");
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : index_json.at("weight_map").items()) {
    const auto text = file.is_string() ? file.get<std::string>() : "";
    if (text.empty() || text.find('\0') != text.npos || fs::path(text).filename() != text ||
        text == "." || text == "..")
      throw FormatError(concat(place, ": tensor ", printable(name), ": is said to be in ",
                               printable(file.dump(), 80), ", which is not in the folder"));
    files.emplace(name, text);
  }
  return files;
}

}  // namespace

struct HuggingFaceWeights::Files {
  std::deque<SafetensorsFile> safetensors;
  std::deque<TorchFile> pickled;
  std::map<std::string, StridedTensor> tensors;
  std::map<std::string, std::string>
      aliases;  ///< a name that was left out -> the one that was kept

  /// The tensors of one file: all of them, or those that the index says are in it.
  void open(const fs::path& path, const std::set<std::string>* wanted) {
    std::set<std::string> found;
    const auto take = [&](const StridedTensor& tensor) {
      if (wanted != nullptr && !wanted->contains(tensor.name)) return;
      found.insert(tensor.name);
      tensors.emplace(tensor.name, tensor);
    };
    if (path.extension() == ".safetensors") {
      const auto& file = safetensors.emplace_back(path);
      for (const auto& tensor : file.tensors()) take(strided(tensor));
      for (const auto& [name, kept] : file.metadata())
        if (file.find(name) == nullptr && file.find(kept) != nullptr) aliases.emplace(name, kept);
    } else {
      for (const auto& tensor : pickled.emplace_back(path).tensors()) take(tensor);
    }
    if (wanted == nullptr) return;
    for (const auto& name : *wanted)
      if (!found.contains(name))
        throw FormatError(concat(path.string(), ": has no tensor ", printable(name),
                                 ", which the index says is in it; copy the files again"));
  }

  /// Of what was copied.
  void drop_pages() const {
    for (const auto& file : safetensors) file.drop_pages();
    for (const auto& file : pickled) file.drop_pages();
  }

  void open_index(const fs::path& index) {
    std::map<std::string, std::set<std::string>> by_file;
    for (const auto& [name, file] : weight_map(index)) by_file[file].insert(name);
    for (const auto& [file, names] : by_file) {
      if (!fs::exists(index.parent_path() / file))
        throw DataError(concat((index.parent_path() / file).string(), ": is missing, but ",
                               index.filename().string(), " names it; copy all files"));
      open(index.parent_path() / file, &names);
    }
  }
};

HuggingFaceWeights::HuggingFaceWeights(const fs::path& folder) : files_(std::make_unique<Files>()) {
  for (const char* name : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                           "pytorch_model.bin.index.json"}) {
    const auto path = folder / name;
    if (!fs::exists(path)) continue;
    place_ = path.string();
    if (path.extension() == ".json")
      files_->open_index(path);
    else
      files_->open(path, nullptr);
    return;
  }
  throw DataError(concat(folder.string(),
                         ": has neither model.safetensors nor pytorch_model.bin, "
                         "nor an index of several; copy the weights too"));
}

HuggingFaceWeights::HuggingFaceWeights() : files_(std::make_unique<Files>()) {}
HuggingFaceWeights::HuggingFaceWeights(HuggingFaceWeights&&) noexcept = default;
HuggingFaceWeights::~HuggingFaceWeights() = default;

HuggingFaceWeights HuggingFaceWeights::of_fairseq(const fs::path& file) {
  HuggingFaceWeights weights;
  weights.place_ = file.string();
  weights.of_fairseq_ = true;
  weights.described_by_ = "its options";
  for (auto tensor : weights.files_->pickled.emplace_back(file, "model").tensors()) {
    tensor.name = tensor.name == "decoder.output_projection.weight" ? "lm_head.weight"
                                                                    : "model." + tensor.name;
    weights.files_->tensors.emplace(tensor.name, tensor);
  }
  return weights;
}

const nlohmann::json& HuggingFaceWeights::fairseq_options() const {
  return files_->pickled.front().options();
}

bool HuggingFaceWeights::has(const std::string& name) const {
  return files_->tensors.contains(name) || files_->aliases.contains(name);
}

std::string HuggingFaceWeights::name_in_file(const std::string& name) const {
  if (!of_fairseq_) return name;
  constexpr std::string_view added = "model.";
  return name.starts_with(added) ? name.substr(added.size()) : "decoder.output_projection.weight";
}

const StridedTensor& HuggingFaceWeights::find(const std::string& name) const {
  const auto alias = files_->aliases.find(name);
  const auto found = files_->tensors.find(alias == files_->aliases.end() ? name : alias->second);
  if (found == files_->tensors.end())
    throw FormatError(concat(place_, ": has no tensor ", name_in_file(name),
                             of_fairseq_ ? "; load the checkpoint with fairseq 0.10 or later and "
                                           "save it again, or copy it again"
                                         : "; copy the weights again"));
  return found->second;
}

std::vector<std::int64_t> HuggingFaceWeights::shape(const std::string& name) const {
  return find(name).shape;
}

at::Tensor HuggingFaceWeights::tensor(const std::string& name,
                                      const std::vector<std::int64_t>& shape) const {
  const auto& found = find(name);
  read_.insert(found.name);
  if (found.shape != shape)
    throw FormatError(concat(place_, ": tensor ", name_in_file(name), ": is ",
                             shape_of_tensor(found.shape), ", by ", described_by_, " it is ",
                             shape_of_tensor(shape)));
  const auto type = floating_type(found, place_);
  if (found.bytes.empty()) return at::empty(shape, at::kFloat);
  const auto copy =
      at::from_blob(const_cast<char*>(found.bytes.data()), found.shape, found.strides, type)
          .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true)
          .contiguous();
  files_->drop_pages();
  expect_finite_weights(copy, place_, name_in_file(name));
  return copy;
}

void HuggingFaceWeights::expect_all_read(const std::set<std::string>& optional) const {
  std::vector<std::string> unknown;
  for (const auto& [name, tensor] : files_->tensors)
    if (!read_.contains(name) && !optional.contains(name)) unknown.push_back(name_in_file(name));
  if (!unknown.empty())
    throw FormatError(
        concat(place_, ": has entries that this kind of model lacks: ", listed_tensors(unknown)));
}

}  // namespace dragoman

#pragma once

#include "dragoman/storage/strided_tensor.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// The tensors of a model folder as `transformers` writes them: model.safetensors or
/// pytorch_model.bin, or several files of one kind with an index; the first of these that exists.
/// Names that were written as another's duplicate are found too.
class HuggingFaceWeights {
 public:
  /// \throws DataError if there is no such file, or one that the index names is missing.
  /// \throws FormatError if one is damaged or the index names a file outside the folder.
  explicit HuggingFaceWeights(const std::filesystem::path& folder);

  /// The model of a fairseq checkpoint, under the names of this system, which are the same but for
  /// "model." in front and the matrix of the output.
  /// \throws DataError if the file cannot be read; FormatError if it is damaged
  static HuggingFaceWeights of_fairseq(const std::filesystem::path& file);

  /// What a fairseq checkpoint says of itself: `args` and `cfg`; else null.
  const nlohmann::json& fairseq_options() const;

  HuggingFaceWeights(HuggingFaceWeights&&) noexcept;
  ~HuggingFaceWeights();

  bool has(const std::string& name) const;

  /// \throws FormatError if there is none of that name
  std::vector<std::int64_t> shape(const std::string& name) const;

  /// As float32, copied. \throws FormatError if there is none of that name and shape, or if it is
  ///     not of floating point
  at::Tensor tensor(const std::string& name, const std::vector<std::int64_t>& shape) const;

  /// \param optional names that may be left unread
  /// \throws FormatError naming the tensors that nobody has read
  void expect_all_read(const std::set<std::string>& optional) const;

  /// The name that a tensor has in the file, for messages.
  std::string name_in_file(const std::string& name) const;

  /// The file, or its index.
  const std::string& place() const { return place_; }

 private:
  struct Files;
  HuggingFaceWeights();
  const StridedTensor& find(const std::string& name) const;

  std::unique_ptr<Files> files_;
  std::string place_;
  bool of_fairseq_ = false;
  std::string described_by_ = "config.json";  ///< where the shapes come from, for a message
  mutable std::set<std::string> read_;
};

}  // namespace dragoman

#pragma once

#include "dragoman/inference/weight_reader.h"
#include "dragoman/storage/safetensors.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// Metadata key of a model file that gives the type of its matrices if it is not float32.
inline constexpr const char* weight_type_key = "weight_type";

/// What follows an int8 matrix's name in that of its scales, one float32 for each row.
inline constexpr const char* row_scale_ending = ".row_scale";

/// The weights of a checkpoint's model file: float32, or matrices of bf16 or int8.
class FileWeights : public WeightReader {
 public:
  /// \throws DataError, FormatError as SafetensorsFile does
  explicit FileWeights(const std::filesystem::path& path);
  /// \param place the file's name in messages
  FileWeights(std::string place, std::shared_ptr<const SafetensorsFile> file);

  /// Empty for a tensor that is missing or wrong.
  std::vector<float> read(const std::string& name, const std::vector<std::int64_t>& shape) override;

  /// \throws FormatError naming the tensors that are missing and unknown, else the first one that
  ///     was wrong
  void expect_all_read() const override;

 private:
  std::string fault_of(const TensorView& tensor, const std::vector<std::int64_t>& shape) const;
  std::vector<float> values_of(const TensorView& tensor);

  std::string place_;
  std::shared_ptr<const SafetensorsFile> file_;
  bool has_fewer_bytes_;
  std::set<std::string> read_;
  std::vector<std::string> missing_;
  std::string first_fault_;
};

/// The first few names, for a message; empty if there are none.
std::string listed_tensors(const std::vector<std::string>& names);

}  // namespace dragoman

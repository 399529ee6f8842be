#pragma once

#include "dragoman/convert/marian_yaml.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// The parameters of a Marian model: model.npz or model.bin.
class MarianWeights {
 public:
  /// \throws DataError if the file cannot be read; FormatError if it is damaged or holds no options
  explicit MarianWeights(const std::filesystem::path& file);
  ~MarianWeights();

  /// What `special:model.yml` says.
  const MarianYaml& options() const { return options_; }

  bool has(const std::string& name) const;

  /// A matrix as float32, [rows, columns] as the file has it.
  /// \throws FormatError if there is none of that name and shape
  at::Tensor matrix(const std::string& name, std::int64_t rows, std::int64_t columns) const;

  /// The same of a vector, which Marian stores as [1, size]. \return [size]
  at::Tensor vector(const std::string& name, std::int64_t size) const;

  /// \throws FormatError naming the parameters that nobody has read, except factors of quantisation
  void expect_all_read() const;

  const std::string& place() const { return place_; }

 private:
  struct Files;
  std::unique_ptr<Files> files_;
  std::string place_;
  MarianYaml options_;
  mutable std::set<std::string> read_;
};

}  // namespace dragoman

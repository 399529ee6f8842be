#pragma once

#include "dragoman/convert/ctranslate2_file.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace dragoman {

/// A CTranslate2 model's variables as numbers, by the names of the newest revision. Notes which
/// were read, so that none is ignored.
class CTranslate2Variables {
 public:
  /// \param file after `with_new_names`
  /// \param place the file, for messages
  CTranslate2Variables(CTranslate2File file, std::string place);

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// Whether both names stand for one variable; if so, both count as read.
  bool are_one(const std::string& a, const std::string& b) const;

  /// Rows and columns of a matrix. \throws FormatError if there is none of that name
  std::pair<std::int64_t, std::int64_t> sizes(const std::string& name) const;

  /// A variable as float32, its quantised integers divided by their scale.
  /// \param dims 1 or 2
  /// \throws FormatError if there is none of that name with so many dimensions, or it has no scale
  at::Tensor tensor(const std::string& name, std::int64_t dims) const;

  /// A scalar. \throws FormatError if it is missing without `or_else`, or is no scalar
  double number(const std::string& name, std::optional<double> or_else = {}) const;
  /// \throws FormatError also if it is no whole number
  std::int64_t integer(const std::string& name, std::optional<std::int64_t> or_else = {}) const;
  /// Whether a scalar is a floating-point number, not a small integer.
  bool is_floating(const std::string& name) const;

  /// \throws FormatError "FILE: NAME is VALUE, why"
  [[noreturn]] void refuse(const std::string& name, double value, const std::string& why) const;

  /// \throws FormatError naming the variables that nobody has read, unless they are scalars with
  ///     the value that changes nothing
  void expect_all_read() const;

  const std::string& place() const { return place_; }

 private:
  at::Tensor numbers_of(const std::string& name, std::int64_t dims) const;
  const CTranslate2Variable& variable(const std::string& name) const;
  void note_read(const std::string& name) const;
  bool changes_nothing(const std::string& name) const;

  CTranslate2File file_;
  std::string place_;
  mutable std::set<std::string> read_;  ///< names and aliases
};

}  // namespace dragoman

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Where an EngineModel takes its weights from, by the names that they have in a checkpoint.
class WeightReader {
 public:
  virtual ~WeightReader() = default;

  /// A copy of a tensor's values, row by row, as float32. Empty if there is none of that name and
  /// shape, or a value is not finite: then `expect_all_read` throws, if this does not.
  virtual std::vector<float> read(const std::string& name,
                                  const std::vector<std::int64_t>& shape) = 0;

  /// To be called when all have been read.
  /// \throws Error if there are others, or one was missing or wrong
  virtual void expect_all_read() const = 0;
};

}  // namespace dragoman

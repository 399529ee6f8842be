#pragma once

#include "dragoman/inference/weight_reader.h"
#include "dragoman/model/transformer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// The weights that a model's modules have now.
class ModuleWeights : public WeightReader {
 public:
  explicit ModuleWeights(const Transformer& model);

  /// \throws DataError if a value is not finite; ContractError if there is none of that name and
  ///     shape
  std::vector<float> read(const std::string& name, const std::vector<std::int64_t>& shape) override;
  /// \throws ContractError if there are others
  void expect_all_read() const override;

 private:
  std::map<std::string, at::Tensor> parameters_;
  std::set<std::string> read_;
};

}  // namespace dragoman

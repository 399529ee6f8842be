#pragma once

#include "dragoman/config/model_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Refuses a model that another program's format cannot hold, with all the options that stand in
/// the way.
class RequiredOptions {
 public:
  /// \param format "Marian's format", for the message
  explicit RequiredOptions(const char* format) : format_(format) {}

  /// \param key of `model` \param only the values that the format has
  void expect(bool holds, const char* key, const char* only);

  /// What every format needs: residual connections, full attention in every encoder layer and
  /// whenever a layer attends, heads that divide d_model among themselves, none pruned.
  void expect_usual_layers(const ModelOptions& model);

  /// \throws OptionsError "FORMAT needs model.KEY: VALUE, ...; train with these settings", or, if
  ///     only pruned heads are in the way, "...; give the run from before the pruning"
  void check() const;

 private:
  const char* format_;
  std::vector<std::string> missing_;
  std::int64_t pruned_ = 0;  ///< of `missing_`
};

}  // namespace dragoman

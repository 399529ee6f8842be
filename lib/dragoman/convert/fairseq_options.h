#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/json_settings.h"
#include "dragoman/text/language_tags.h"

#include <nlohmann/json.hpp>

#include <string>

namespace dragoman {

/// What a fairseq checkpoint says of its model: `args`, or in newer ones `cfg`.
class FairseqOptions : public JsonSettings {
 public:
  /// \throws FormatError if there is neither
  FairseqOptions(const nlohmann::json& entries, const std::string& place);

  /// The model. \throws FormatError naming an option, with its value, that cannot be expressed
  ModelOptions model() const;

  bool shares_all() const { return flag("share_all_embeddings", false); }
  bool ties_output() const {
    return shares_all() || flag("share_decoder_input_output_embed", false);
  }
  bool has_learned_positions() const { return flag("decoder_learned_pos", false); }

  /// \param chosen by the user; where empty, as the checkpoint says
  /// \throws FormatError if neither says it
  Languages languages(const Languages& chosen) const;

 private:
  void expect_off(const char* key) const;
  void expect_equal(const std::string& part) const;
  Activation activation() const;

  nlohmann::json task_;
};

}  // namespace dragoman

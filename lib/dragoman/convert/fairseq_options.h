#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/text/language_tags.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace dragoman {

/// What a fairseq checkpoint says of its model: `args`, or in newer ones `cfg`.
class FairseqOptions {
 public:
  /// \throws FormatError if there is neither
  FairseqOptions(const nlohmann::json& entries, std::string place);

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
  nlohmann::json value(const char* key) const;
  std::int64_t integer(const char* key) const;
  bool flag(const char* key, bool or_else) const;
  std::string text(const char* key, const std::string& or_else) const;
  void expect_off(const char* key) const;
  void expect_equal(const std::string& part) const;
  Activation activation() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

  nlohmann::json model_, task_;
  std::string place_;
};

}  // namespace dragoman

#include "dragoman/convert/ctranslate2_config.h"

#include "dragoman/convert/ctranslate2_versions.h"
#include "dragoman/convert/huggingface_config.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <set>

namespace dragoman {

namespace {

/// The keys of a config.json, noting which were read.
class ConfigKeys {
 public:
  ConfigKeys(nlohmann::json json, std::string place)
      : json_(std::move(json)), place_(std::move(place)) {}

  /// Null if there is none.
  nlohmann::json value(const char* key) {
    read_.insert(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nlohmann::json() : *found;
  }

  std::string text(const char* key) {
    const auto found = value(key);
    if (!found.is_string()) refuse(key, "it should be a text");
    return found.get<std::string>();
  }

  bool flag(const char* key) {
    const auto found = value(key);
    if (found.is_null()) return false;
    if (!found.is_boolean()) refuse(key, "it should be true or false");
    return found.get<bool>();
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    const auto found = json_.find(key);
    throw FormatError(concat(place_, ": ", key, " is ",
                             found == json_.end() ? "missing" : printable(found->dump(), 80), ": ",
                             why));
  }

  void expect_all_read() const {
    for (const auto& [key, value] : json_.items())
      if (!read_.contains(key) && !value.is_null() && value != nlohmann::json(false) &&
          value != nlohmann::json(0))
        refuse(key, "this program's models do not support it");
  }

 private:
  nlohmann::json json_;
  std::string place_;
  std::set<std::string> read_;
};

}  // namespace

CTranslate2Config read_ctranslate2_config(const std::filesystem::path& model_dir,
                                          CTranslate2File& file) {
  const auto place = model_dir / "config.json";
  auto json = file.version >= 6 || std::filesystem::exists(place) ? read_json_object(place)
                                                                  : nlohmann::json::object();
  json.update(take_config(file));
  ConfigKeys keys(std::move(json), place.string());
  CTranslate2Config config;
  config.unk = keys.text("unk_token");
  config.bos = keys.text("bos_token");
  config.eos = keys.text("eos_token");
  config.add_source_bos = keys.flag("add_source_bos");
  config.add_source_eos = keys.flag("add_source_eos");
  if (!keys.value("decoder_start_token").is_null()) config.start = keys.text("decoder_start_token");
  if (const auto eps = keys.value("layer_norm_epsilon"); eps.is_number())
    config.layer_norm_eps = eps.get<double>();
  else if (!eps.is_null())
    keys.refuse("layer_norm_epsilon", "it should be a number");
  if (keys.flag("multi_query_attention"))
    keys.refuse("multi_query_attention",
                "this program's models do not support it; each head has "
                "its own keys");
  keys.expect_all_read();
  return config;
}

}  // namespace dragoman

#include "dragoman/convert/ctranslate2_config.h"

#include "dragoman/convert/ctranslate2_versions.h"
#include "dragoman/convert/json_settings.h"

#include <utility>

namespace dragoman {

CTranslate2Config read_ctranslate2_config(const std::filesystem::path& model_dir,
                                          CTranslate2File& file) {
  const auto place = model_dir / "config.json";
  auto json = file.version >= 6 || std::filesystem::exists(place) ? read_json_object(place)
                                                                  : nlohmann::json::object();
  json.update(take_config(file));
  const JsonSettings keys(std::move(json), place.string());
  CTranslate2Config config;
  config.unk = keys.text("unk_token");
  config.bos = keys.text("bos_token");
  config.eos = keys.text("eos_token");
  config.add_source_bos = keys.flag("add_source_bos", false);
  config.add_source_eos = keys.flag("add_source_eos", false);
  if (!keys.value("decoder_start_token").is_null()) config.start = keys.text("decoder_start_token");
  config.layer_norm_eps = keys.number("layer_norm_epsilon", config.layer_norm_eps);
  if (keys.flag("multi_query_attention", false))
    keys.refuse("multi_query_attention",
                "this program's models do not support it; each head has "
                "its own keys");
  keys.expect_only({"unk_token", "bos_token", "eos_token", "add_source_bos", "add_source_eos",
                    "decoder_start_token", "layer_norm_epsilon", "multi_query_attention"});
  return config;
}

}  // namespace dragoman

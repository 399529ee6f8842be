#include "dragoman/convert/huggingface.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <functional>

namespace huggingface_refusal_test {

using namespace dragoman;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A copy of a model folder to damage.
class Copy {
 public:
  explicit Copy(const std::string& name) {
    fs::copy(test::cases("golden/interop_hf") / name, folder_ / "model",
             fs::copy_options::recursive);
  }

  fs::path operator/(const std::string& file) const { return folder_ / "model" / file; }

  /// Changes a JSON file of the folder.
  Copy& edit(const std::string& file, const std::function<void(json&)>& change) {
    auto value = test::read_json(*this / file);
    change(value);
    write_file_atomically(*this / file, value.dump());
    return *this;
  }

  /// What refuses the folder; empty if it is read. Nothing may be left behind.
  std::string refusal(const LanguagePair& languages = {}) const {
    try {
      import_huggingface(folder_ / "model", languages, folder_ / "run");
    } catch (const Error& error) {
      CHECK_FALSE(fs::exists(folder_ / "run"));
      return error.what();
    }
    fs::remove_all(folder_ / "run");
    return "";
  }

 private:
  test::TemporaryDirectory folder_;
};

/// The refusal if an option of config.json has another value.
std::string with_option(const std::string& key, const json& value,
                        const std::string& model = "marian-shared-swish") {
  return Copy(model).edit("config.json", [&](json& config) { config[key] = value; }).refusal();
}

}  // namespace

TEST_CASE("a length without a limit, which transformers writes as 10^30, is read", "[unit]") {
  for (const auto& [model, languages] :
       {std::pair{"marian-shared-swish", LanguagePair{}}, {"nllb", {"eng_Latn", "deu_Latn"}}}) {
    CAPTURE(model);
    Copy copy(model);
    copy.edit("tokenizer_config.json", [](json& config) { config["model_max_length"] = "here"; });
    auto text = read_file(copy / "tokenizer_config.json");
    text.replace(text.find("\"here\""), 6, "1000000000000000019884624838656");
    write_file_atomically(copy / "tokenizer_config.json", text);
    CHECK(copy.refusal(languages).empty());
  }
}

TEST_CASE("options that a run cannot express are refused by name and value", "[unit]") {
  CHECK_THAT(with_option("activation_function", "mish"),
             test::contains("config.json: activation_function is \"mish\""));
  CHECK_THAT(with_option("normalize_before", true),
             test::contains("normalize_before is true: this program knows only false"));
  CHECK_THAT(with_option("normalize_embedding", true),
             test::contains("normalize_embedding is true"));
  CHECK_THAT(with_option("static_position_embeddings", false),
             test::contains("static_position_embeddings is false"));
  CHECK_THAT(with_option("decoder_attention_heads", 2),
             test::contains("decoder_attention_heads is 2: encoder_attention_heads is"));
  CHECK_THAT(with_option("model_type", "bart"), test::contains("model_type is \"bart\""));
  CHECK_THAT(with_option("d_model", "wide"), test::contains("d_model is \"wide\": it should be"));
  CHECK_THAT(with_option("d_model", nullptr), test::contains("config.json: has no d_model"));
  CHECK_THAT(with_option("encoder_layers", 1000000), test::contains("layers.2"));
  const auto with_search = [](const std::string& key, const json& value) {
    return Copy("marian-shared-swish")
        .edit("generation_config.json", [&](json& config) { config[key] = value; })
        .refusal();
  };
  CHECK_THAT(with_search("repetition_penalty", 1.3),
             test::contains("generation_config.json: repetition_penalty is 1.3"));
  CHECK_THAT(with_search("bad_words_ids", json::array({json::array({3, 4})})),
             test::contains("bad_words_ids is [[3,4]]"));
  CHECK_THAT(with_search("do_sample", true), test::contains("do_sample is true"));
  CHECK_THAT(with_search("early_stopping", "sometimes"), test::contains("early_stopping is"));
  CHECK_THAT(with_search("max_length", 0), test::contains("max_length is 0"));
  CHECK_THAT(with_search("forced_eos_token_id", 5), test::contains("forced_eos_token_id is 5"));
}

TEST_CASE("weights that are missing, unknown, of another shape or elsewhere are refused by name",
          "[unit]") {
  Copy no_weights("marian-shared-swish");
  fs::remove(no_weights / "model.safetensors");
  CHECK_THAT(no_weights.refusal(), test::contains("neither model.safetensors nor"));
  CHECK_THAT(with_option("encoder_layers", 3),
             test::contains("has no tensor model.encoder.layers.2.self_attn.q_proj.weight"));
  CHECK_THAT(with_option("encoder_layers", 1),
             test::contains("has no place for: tensor model.encoder"));
  CHECK_THAT(with_option("encoder_ffn_dim", 40), test::contains("fc1.weight: is [48,24]"));

  Copy no_shard("marian-multi-sharded");
  fs::remove(no_shard / "model-00004-of-00007.safetensors");
  CHECK_THAT(no_shard.refusal(), test::contains("model-00004-of-00007.safetensors: is missing"));
  const auto with_file = [](const json& file) {
    return Copy("marian-multi-sharded")
        .edit("model.safetensors.index.json",
              [&](json& index) { index["weight_map"]["final_logits_bias"] = file; })
        .refusal();
  };
  for (const json& outside : {json("../model.safetensors"), json("/etc/passwd"), json(".."),
                              json(""), json(7), json("a/b")})
    CHECK_THAT(with_file(outside), test::contains("which is no file of the folder"));
  CHECK_THAT(with_file("config.json"), test::contains("config.json"));
  const auto other = test::read_json(test::cases(
      "golden/interop_hf/marian-multi-sharded/model.safetensors.index.json"))["weight_map"];
  for (const auto& [name, file] : other.items())
    if (file != other["final_logits_bias"]) {
      CHECK_THAT(with_file(file),
                 test::contains("has no tensor final_logits_bias, which the index"));
      break;
    }
}

TEST_CASE("vocabularies that contradict the model are refused", "[unit]") {
  const auto with_vocabulary = [](const std::function<void(json&)>& change) {
    return Copy("marian-shared-swish").edit("vocab.json", change).refusal();
  };
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = 100000; }),
             test::contains("vocab.json: the piece another has the id 100000"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = 3; }),
             test::contains("two pieces have the id 3"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = "x"; }),
             test::contains("is no whole number"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = -1; }), test::contains("has the id -1"));
  CHECK_THAT(with_vocabulary([](json& v) { v.erase("</s>"); }),
             test::contains("no piece has the id"));
  CHECK_THAT(
      Copy("marian-shared-swish")
          .edit("generation_config.json",
                [](json& config) { config["eos_token_id"] = config["forced_eos_token_id"] = 7; })
          .refusal(),
      test::contains("vocab.json: the end token has the id 0, but eos_token_id"));
  Copy no_spm("marian-shared-swish");
  fs::remove(no_spm / "target.spm");
  CHECK_THAT(no_spm.refusal(), test::contains("target.spm"));
}

TEST_CASE("languages are asked for where a model has many, and nowhere else", "[unit]") {
  CHECK_THAT(Copy("marian-shared-swish").refusal({.target = "de"}),
             test::contains("leave the option out"));
  CHECK_THAT(Copy("m2m100").refusal(), test::contains("--source-language: this model of many"));
  CHECK_THAT(Copy("m2m100").refusal({.source = "en", .target = "xx"}),
             test::contains("--target-language: xx is not one of the model's"));
  CHECK(Copy("m2m100").refusal({.source = "__en__", .target = "de"}).empty());
  CHECK_THAT(Copy("nllb")
                 .edit("tokenizer_config.json", [](json& c) { c["legacy_behaviour"] = true; })
                 .refusal({.source = "eng_Latn", .target = "deu_Latn"}),
             test::contains("legacy_behaviour is true"));
  Copy old("nllb");  // without tokenizer.json the languages follow the pieces
  fs::remove(old / "tokenizer.json");
  CHECK(old.refusal({.source = "eng_Latn", .target = "deu_Latn"}).empty());
}

TEST_CASE("a pickle that would call something is refused by the name of that", "[unit]") {
  Copy copy("marian-legacy-bin");
  auto bytes = read_file(copy / "pytorch_model.bin");
  const std::string harmless = "torch._utils\n_rebuild_tensor_v2\n",
                    harmful = "nt\nsystem_____________________\n\n";
  bytes.replace(bytes.find(harmless), harmless.size(), harmful.substr(0, harmless.size()));
  write_file_atomically(copy / "pytorch_model.bin", bytes);
  CHECK_THAT(copy.refusal(), test::contains("pytorch_model.bin: data.pkl: byte ") &&
                                 test::contains("names nt.system"));
}

TEST_CASE("a model folder is known by its config.json", "[unit]") {
  CHECK(is_huggingface(test::cases("golden/interop_hf/m2m100")));
  CHECK_FALSE(is_huggingface(test::cases("golden/interop_tiny")));
  CHECK_FALSE(is_huggingface(test::cases("golden/interop_tiny/ctranslate2")));
}

}  // namespace huggingface_refusal_test

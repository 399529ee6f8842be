#include "convert/huggingface_copy.h"
#include "dragoman/core/concat.h"
#include "dragoman/run/loaded_run.h"

namespace huggingface_refusal_test {

using namespace dragoman;
using namespace huggingface_copy;

namespace {

/// The model that most tests change.
const fs::path& one_vocabulary() {
  static const auto folder = test::one_vocabulary_folder();
  return folder;
}

fs::path m2m100() { return test::folder_of_family("m2m100"); }
fs::path nllb() { return test::folder_of_family("nllb"); }

/// A whole number of that model.
std::int64_t option_of(const std::string& key) {
  return read_part(one_vocabulary(), "config.json").at(key).get<std::int64_t>();
}

/// The refusal if an option of config.json has another value.
std::string with_option(const std::string& key, const json& value,
                        const fs::path& model = one_vocabulary()) {
  return Copy(model).edit("config.json", [&](json& config) { config[key] = value; }).refusal();
}

/// The same of generation_config.json.
std::string with_search(const std::string& key, const json& value) {
  return Copy(one_vocabulary())
      .edit("generation_config.json", [&](json& config) { config[key] = value; })
      .refusal();
}

/// Newer files name special tokens there, too.
Copy& without_added_tokens(Copy& copy) {
  return copy.edit("tokenizer_config.json",
                   [](json& config) { config.erase("added_tokens_decoder"); });
}

}  // namespace

TEST_CASE("a length without a limit, which transformers writes as 10^30, is read", "[unit]") {
  for (const auto& [model, languages] :
       {std::pair{one_vocabulary(), Languages{}}, {nllb(), languages_of(nllb())}}) {
    CAPTURE(model.string());
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
  const auto heads = option_of("d_model") + 1;
  CHECK_THAT(with_option("decoder_attention_heads", heads),
             test::contains(concat("model.decoder_num_heads: ", heads, " does not divide")));
  CHECK_THAT(with_option("model_type", "bart"), test::contains("model_type is \"bart\""));
  CHECK_THAT(with_option("d_model", "wide"), test::contains("d_model is \"wide\": it should be"));
  CHECK_THAT(with_option("d_model", nullptr), test::contains("config.json: has no d_model"));
  CHECK_THAT(with_option("tie_word_embeddings", "no"),
             test::contains("it should be true or false"));
}

TEST_CASE("sizes that no model has are refused before anything is made of them", "[unit]") {
  for (const char* key : {"d_model", "encoder_layers", "decoder_layers", "encoder_ffn_dim"})
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 50})
      CHECK_THAT(with_option(key, size),
                 test::contains("config.json: describes an invalid model: ") &&
                     test::contains(concat(": ", size)));
  CHECK_THAT(with_option("vocab_size", std::int64_t{1} << 50), test::contains("vocab_size is "));
  CHECK_THAT(with_option("decoder_vocab_size", std::int64_t{1} << 50),
             test::contains("both sides have one embedding"));
  for (const int positions : {-1, 0, 1})
    CHECK_THAT(with_option("max_position_embeddings", positions),
               test::contains("it should be 2 or more"));
  for (const auto pad : {std::int64_t{-1}, std::int64_t{1} << 50}) {
    const auto with_pad = [&](json& config) { config["pad_token_id"] = pad; };
    CHECK_THAT(Copy(m2m100())
                   .edit("config.json", with_pad)
                   .edit("generation_config.json", with_pad)
                   .refusal(languages_of(m2m100())),
               test::contains("config.json: "));
  }
}

TEST_CASE("options of search that a run does not have are refused by name and value", "[unit]") {
  CHECK_THAT(with_search("repetition_penalty", 1.3),
             test::contains("generation_config.json: repetition_penalty is 1.3"));
  CHECK_THAT(with_search("bad_words_ids", json::array({json::array({3, 4})})),
             test::contains("bad_words_ids is [[3,4]]"));
  CHECK_THAT(with_search("do_sample", true), test::contains("do_sample is true"));
  CHECK_THAT(with_search("early_stopping", "sometimes"), test::contains("early_stopping is"));
  for (const int length : {-1, 0, 1})
    CHECK_THAT(with_search("max_length", length),
               test::contains(concat("max_length is ", length, ": it should be 2 or more")));
  CHECK_THAT(with_search("max_new_tokens", 0), test::contains("max_new_tokens is 0"));
  CHECK_THAT(with_search("num_beams", 0), test::contains("search.beam_size: 0 is outside"));
  CHECK_THAT(with_search("bad_words_ids", 5), test::contains("it should be a list of lists"));
  CHECK_THAT(with_search("renormalize_logits", "yes"),
             test::contains("it should be true or false"));
  CHECK_THAT(with_search("stop_strings", json::array({"."})), test::contains("stop_strings is"));
  const auto other = option_of("eos_token_id") + 1;
  CHECK_THAT(with_search("forced_eos_token_id", other),
             test::contains(concat("forced_eos_token_id is ", other)));
  for (const auto& model : {m2m100(), nllb()})
    CHECK_THAT(
        Copy(model)
            .edit("generation_config.json", [](json& config) { config["forced_eos_token_id"] = 0; })
            .refusal(languages_of(model)),
        test::contains("forced_eos_token_id is 0"));
}

TEST_CASE("with a generation_config.json, config.json has no say in the search", "[unit]") {
  const auto searched = [](const std::function<void(json&)>& change) {
    Copy copy(one_vocabulary());
    copy.edit("config.json", [](json& config) {
      config["num_beams"] = 6;
      config["length_penalty"] = 0.1;
      config["repetition_penalty"] = 1.3;
    });
    copy.edit("generation_config.json", change);
    const test::TemporaryDirectory made;
    import_huggingface(copy / "", {}, made / "run");
    return load_run(made / "run").options.search;
  };
  for (const bool derived : {false, true}) {
    const auto search = searched([&](json& generation) {
      generation["_from_model_config"] = derived;
      generation.erase("num_beams");
      generation.erase("length_penalty");
    });
    CHECK(search.beam_size == 1);
    CHECK(search.length_penalty == 1.0);
  }
  for (const json& early : {json("never"), json(false), json(true)})  // none of which is asked
    CHECK(searched([&](json& generation) {
            generation["num_beams"] = 1;
            generation["early_stopping"] = early;
          }).ends_at_first_eos());
  const auto eos = option_of("eos_token_id");
  CHECK(searched([&](json& generation) {
          generation["eos_token_id"] = generation["forced_eos_token_id"] = json::array({eos});
        }).force_eos);
  CHECK_THAT(Copy(one_vocabulary())
                 .edit("generation_config.json", [](json& config) { config.erase("eos_token_id"); })
                 .refusal(),
             test::contains("generation_config.json: has no eos_token_id"));
  Copy old(one_vocabulary());
  fs::remove(old / "generation_config.json");
  old.edit("config.json", [](json& config) { config["repetition_penalty"] = 1.3; });
  CHECK_THAT(old.refusal(), test::contains("config.json: repetition_penalty is 1.3"));
}

TEST_CASE("rows behind the last piece, which fill the matrix up, have names", "[unit]") {
  Copy copy(one_vocabulary());
  const auto rows = option_of("vocab_size"), pad = rows - 8;
  copy.edit("vocab.json", [&](json& pieces) {
    for (auto i = pieces.begin(); i != pieces.end();)
      i = i->get<std::int64_t>() >= pad ? pieces.erase(i) : std::next(i);
    pieces["<pad>"] = pad;
  });
  for (const char* file : {"config.json", "generation_config.json"})
    copy.edit(file, [&](json& config) {
      config["pad_token_id"] = config["decoder_start_token_id"] = pad;
      config["bad_words_ids"] = json::array({json::array({pad})});
    });
  const test::TemporaryDirectory made;
  import_huggingface(copy / "", {}, made / "run");
  const auto target = load_run(made / "run").vocabulary.target;
  REQUIRE(target.vocab_size() == rows);
  CHECK(target.piece(static_cast<std::int32_t>(pad + 1)) == "madeupword0");
  CHECK(target.piece(static_cast<std::int32_t>(rows - 1)) == "madeupword6");
  without_added_tokens(copy).edit("vocab.json", [](json& pieces) { pieces.erase("</s>"); });
  CHECK_THAT(copy.refusal(), test::contains("no piece has the id"));
}

TEST_CASE("weights that are missing, unknown, of another shape or elsewhere are refused by name",
          "[unit]") {
  Copy no_weights(one_vocabulary());
  fs::remove(no_weights / "model.safetensors");
  CHECK_THAT(no_weights.refusal(), test::contains("neither model.safetensors nor"));
  const auto layers = option_of("encoder_layers"), inner = option_of("encoder_ffn_dim");
  CHECK_THAT(
      with_option("encoder_layers", layers + 1),
      test::contains(concat("has no tensor model.encoder.layers.", layers, ".self_attn.q_proj")));
  if (layers > 1)
    CHECK_THAT(with_option("encoder_layers", layers - 1),
               test::contains("has entries that this kind of model lacks: tensor model.encoder"));
  CHECK_THAT(with_option("encoder_ffn_dim", inner - 1),
             test::contains(concat("fc1.weight: is [", inner, ',', option_of("d_model"), ']')));
  CHECK_THAT(with_option("tie_word_embeddings", false),
             test::contains("has no lm_head.weight, but tie_word_embeddings is false"));

  const auto sharded = test::folder_with("model.safetensors.index.json");
  const auto places = read_part(sharded, "model.safetensors.index.json").at("weight_map");
  Copy no_shard(sharded);
  const auto shard = places.at("final_logits_bias").get<std::string>();
  fs::remove(no_shard / shard);
  CHECK_THAT(no_shard.refusal(), test::contains(shard + ": is missing"));
  const auto with_file = [&](const json& file) {
    return Copy(sharded)
        .edit("model.safetensors.index.json",
              [&](json& index) { index["weight_map"]["final_logits_bias"] = file; })
        .refusal();
  };
  for (const json& outside : {json("../model.safetensors"), json("/etc/passwd"), json(".."),
                              json(""), json(7), json("a/b")})
    CHECK_THAT(with_file(outside), test::contains("which is not in the folder"));
  CHECK_THAT(with_file("config.json"), test::contains("config.json"));
  for (const auto& [name, file] : places.items())
    if (file != shard) {
      CHECK_THAT(with_file(file),
                 test::contains("has no tensor final_logits_bias, which the index"));
      break;
    }
}

TEST_CASE("matrices of two sides are not taken for the one that config.json tells of", "[unit]") {
  const auto model = test::two_vocabularies_folder();
  const auto message = with_option("share_encoder_decoder_embeddings", nullptr, model);
  const auto config = read_part(model, "config.json");
  if (config.at("vocab_size") == config.at("decoder_vocab_size"))
    CHECK_THAT(message,
               test::contains("model.encoder.embed_tokens.weight and "
                              "model.decoder.embed_tokens.weight hold different numbers") &&
                   test::contains("share_encoder_decoder_embeddings is true or missing"));
  else
    CHECK_THAT(message, test::contains("both sides have one embedding"));
}

TEST_CASE("vocabularies that contradict the model are refused", "[unit]") {
  const auto with_vocabulary = [](const std::function<void(json&)>& change) {
    Copy copy(one_vocabulary());
    return without_added_tokens(copy).edit("vocab.json", change).refusal();
  };
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = 100000; }),
             test::contains("vocab.json: the piece another has the id 100000"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = 3; }), test::contains(" have the id 3"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = "x"; }),
             test::contains("is not a whole number"));
  CHECK_THAT(with_vocabulary([](json& v) { v["another"] = -1; }), test::contains("has the id -1"));
  CHECK_THAT(with_vocabulary([](json& v) { v.erase("</s>"); }),
             test::contains("no piece has the id"));
  const auto eos = option_of("eos_token_id");
  CHECK_THAT(
      Copy(one_vocabulary())
          .edit("generation_config.json",
                [&](json& config) {
                  config["eos_token_id"] = config["forced_eos_token_id"] = eos + 1;
                })
          .refusal(),
      test::contains(concat("vocab.json: the end token has the id ", eos, ", but eos_token_id")));
  const auto sampled = [](json& config) {
    config["sp_model_kwargs"] = {{"enable_sampling", true}};
  };
  CHECK_THAT(
      Copy(one_vocabulary()).edit("tokenizer_config.json", sampled).refusal(),
      test::contains("tokenizer_config.json: sp_model_kwargs is {\"enable_sampling\":true}"));
  Copy no_spm(one_vocabulary());
  fs::remove(no_spm / "target.spm");
  CHECK_THAT(no_spm.refusal(), test::contains("target.spm"));
}

TEST_CASE("a pickle that would call something is refused by the name of that", "[unit]") {
  Copy copy(test::folder_with("pytorch_model.bin"));
  auto bytes = read_file(copy / "pytorch_model.bin");
  const std::string harmless = "torch._utils\n_rebuild_tensor_v2\n",
                    harmful = "nt\nsystem_____________________\n\n";
  bytes.replace(bytes.find(harmless), harmless.size(), harmful.substr(0, harmless.size()));
  write_file_atomically(copy / "pytorch_model.bin", bytes);
  CHECK_THAT(copy.refusal(), test::contains("pytorch_model.bin: data.pkl: byte ") &&
                                 test::contains("names nt.system"));
}

TEST_CASE("a model folder is known by its config.json", "[unit]") {
  CHECK(is_huggingface(m2m100()));
  CHECK_FALSE(is_huggingface(test::cases("golden/interop_tiny")));
  CHECK_FALSE(is_huggingface(test::cases("golden/interop_tiny/ctranslate2")));
  const Copy damaged(one_vocabulary());
  auto text = read_file(damaged / "config.json");
  write_file_atomically(damaged / "config.json", text.substr(0, text.size() / 2));
  CHECK_THROWS_WITH(is_huggingface((damaged / "config.json").parent_path()),
                    test::contains("config.json: line "));
  fs::remove(damaged / "model.safetensors");
  CHECK_FALSE(is_huggingface((damaged / "config.json").parent_path()));
}

TEST_CASE("a table of no positions is refused by its size", "[unit]") {
  CHECK_THAT(with_option("max_position_embeddings", 0),
             test::contains("max_position_embeddings is 0: it should be 2 or more"));
}

TEST_CASE("the SentencePiece model of another system is refused", "[unit]") {
  const Copy copy(one_vocabulary());
  fs::copy_file(m2m100() / "sentencepiece.bpe.model", copy / "source.spm",
                fs::copy_options::overwrite_existing);
  CHECK_THAT(copy.refusal(), test::contains("vocab.json: has no token for "));
}

TEST_CASE("the names of special tokens are also read from special_tokens_map.json", "[unit]") {
  Copy copy(one_vocabulary());
  without_added_tokens(copy).edit("tokenizer_config.json",
                                  [](json& config) { config.erase("eos_token"); });
  write_file_atomically(copy / "special_tokens_map.json", R"({"eos_token": "no such piece"})");
  CHECK_THAT(copy.refusal(), test::contains("no such piece"));
}

}  // namespace huggingface_refusal_test

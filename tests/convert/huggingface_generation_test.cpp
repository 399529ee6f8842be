#include "convert/huggingface_copy.h"
#include "dragoman/core/concat.h"
#include "dragoman/run/loaded_run.h"
#include "support/log_taken.h"

#include <algorithm>

namespace huggingface_generation_test {

using namespace dragoman;
using namespace huggingface_copy;

namespace {

/// A MarianMT model whose generation_config.json is changed.
struct Searched {
  Copy copy{test::one_vocabulary_folder()};

  explicit Searched(const std::function<void(json&)>& change) {
    copy.edit("generation_config.json", change);
  }

  SpecialIds special() const {
    const test::TemporaryDirectory made;
    import_huggingface(copy / "", {}, made / "run");
    return load_run(made / "run").vocabulary.target.special();
  }
};

std::string refusal_with(const std::string& key, const json& value) {
  return Searched([&](json& config) { config[key] = value; }).copy.refusal();
}

bool warns_of_padding(const Searched& model) {
  test::LogTaken log;
  CHECK(model.copy.refusal().empty());
  return std::ranges::any_of(log.warnings, [](const std::string& message) {
    return message.find("bad_words_ids does not ban padding") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("without a start token of its own generation_config.json gives BOS", "[unit]") {
  const Searched with_bos([](json& config) {
    config.erase("decoder_start_token_id");
    config["bos_token_id"] = config.at("eos_token_id");
  });
  const auto special = with_bos.special();
  CHECK(special.bos == special.eos);
  const Searched without([](json& config) {
    for (const char* key : {"decoder_start_token_id", "bos_token_id"}) config.erase(key);
  });
  CHECK_THAT(without.copy.refusal(),
             test::contains("generation_config.json: has neither decoder_start_token_id nor"));
  Copy old(test::one_vocabulary_folder());
  fs::remove(old / "generation_config.json");
  old.edit("config.json", [](json& config) { config.erase("decoder_start_token_id"); });
  CHECK_THAT(old.refusal(), test::contains("config.json: has no decoder_start_token_id"));
}

TEST_CASE("a start token that texts may have is refused unless it is banned", "[unit]") {
  const auto pieces = read_part(test::one_vocabulary_folder(), "vocab.json");
  const auto id = pieces.at(pieces.contains("a") ? "a" : pieces.items().begin().key());
  const auto start_from = [&](bool banned) {
    return Searched([&](json& config) {
             config["decoder_start_token_id"] = id;
             if (banned) config["bad_words_ids"].push_back(json::array({id}));
           })
        .copy.refusal();
  };
  CHECK_THAT(start_from(false), test::contains(concat("the start token ", id.dump(), " is the")));
  CHECK(start_from(true).empty());
}

TEST_CASE("that generate may write padding is told", "[unit]") {
  CHECK(warns_of_padding(Searched([](json& config) { config.erase("bad_words_ids"); })));
  CHECK_FALSE(warns_of_padding(Searched([](json&) {})));
}

TEST_CASE("options of a search that change nothing are read", "[unit]") {
  for (const auto& [key, neutral, other] :
       {std::tuple{"suppress_tokens", json::array(), json::array({5})},
        {"begin_suppress_tokens", json::array(), json::array({5})},
        {"sequence_bias", json::object(), json::array({json::array({json::array({5}), 1.0})})},
        {"min_new_tokens", json(0), json(2)},
        {"guidance_scale", json(1.0), json(2.0)},
        {"guidance_scale", json(1), json(1.5)}}) {
    CAPTURE(key);
    CHECK(refusal_with(key, neutral).empty());
    CHECK_THAT(refusal_with(key, other), test::contains(key));
  }
}

TEST_CASE("a name of a shard with a zero byte is refused in full", "[unit]") {
  const auto folder =
      test::model_folder("an index of safetensors", [](const auto& one, const auto&) {
        return fs::exists(one / "model.safetensors.index.json");
      });
  Copy copy(folder);
  copy.edit("model.safetensors.index.json", [](json& index) {
    index.at("weight_map").begin().value() = std::string("model\0x.safetensors", 19);
  });
  CHECK_THAT(copy.refusal(),
             test::contains("x.safetensors") && test::contains("which is not in the folder"));
}

}  // namespace huggingface_generation_test

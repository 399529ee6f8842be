#include "dragoman/config/option_tree.h"
#include "dragoman/config/option_names.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "support/catch.h"

#include <algorithm>
#include <string>
#include <vector>

namespace option_tree_test {

using namespace dragoman;
using nlohmann::json;
using test::contains;

namespace {

json::json_pointer pointer_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return json::json_pointer('/' + key);
}

/// `value` at `key`, inside the objects that lead there.
json at_key(const std::string& key, json value) {
  for (auto at = pointer_of(key); !at.empty(); at.pop_back())
    value = json{{at.back(), std::move(value)}};
  return value;
}

}  // namespace

TEST_CASE("each text option is a list of names or one of the known free texts", "[unit]") {
  const std::vector<std::string> free_texts = {"data.valid_source", "data.valid_target",
                                               "train.device"};
  for (const auto& key : option_keys()) {
    if (!default_options().at(pointer_of(key)).is_string()) continue;
    CAPTURE(key);
    const bool is_free = std::count(free_texts.begin(), free_texts.end(), key) == 1;
    CHECK(option_names(key).empty() == is_free);
  }
}

TEST_CASE("the names of an option are all its values in order", "[unit]") {
  CHECK(option_names("model.activation") ==
        std::vector<std::string>{"relu", "gelu", "gelu_tanh", "gelu_sigmoid", "swish"});
  CHECK(option_names("train.early_stopping_metric").size() == 5);
  CHECK(option_names("model.d_model").empty());
  CHECK(option_names("model.cross_attention.kind") ==
        std::vector<std::string>{"full", "tiled", "fused_torch"});
  CHECK(option_names("model.decoder_attention.kind").size() + 1 ==
        option_names("model.encoder_attention.kind").size());
}

TEST_CASE("weights are a list of numbers and files a list of texts", "[unit]") {
  CHECK_NOTHROW(check_options(at_key("data.weights", json::array({2, 0.5})), "x"));
  CHECK_NOTHROW(check_options(at_key("data.train_source", json::array({"a", "b"})), "x"));
  CHECK_THROWS_WITH(check_options(at_key("data.weights", json::array({"a"})), "x"),
                    contains("/data/weights: expected a list of numbers"));
  CHECK_THROWS_WITH(check_options(at_key("data.train_source", json::array({2})), "x"),
                    contains("/data/train_source: expected a list of texts"));
}

TEST_CASE("every default is accepted and every value of another type is refused", "[unit]") {
  for (const auto& key : option_keys()) {
    const json usual = default_options().at(pointer_of(key));
    CAPTURE(key);
    CHECK_NOTHROW(check_options(at_key(key, usual), "x"));
    for (const auto& other : {json(nullptr), json(true), json(2.5), json("wide"), json::object(),
                              json::array({1, "x"})}) {
      const bool is_free_text = usual.is_string() && option_names(key).empty();
      if (other.type() == usual.type() && (is_free_text || !usual.is_string()) && !other.is_array())
        continue;
      CAPTURE(other);
      CHECK_THROWS_AS(check_options(at_key(key, other), "x"), OptionsError);
    }
  }
}

TEST_CASE("an unknown key is refused with its pointer and the one that was meant", "[unit]") {
  CHECK_THROWS_WITH(
      check_options(json{{"model", {{"d_modle", 1}}}}, "base.json"),
      contains("base.json: /model/d_modle: no such option; did you mean model.d_model?"));
  CHECK_THROWS_WITH(
      check_options(json{{"model", {{"heads", 2}}}}, "base.json"),
      contains("base.json: /model/heads: no such option; did you mean model.num_heads?"));
  CHECK_THROWS_WITH(preset_run_options("tiny", {"training.max_steps=60"}),
                    contains("did you mean train.max_steps?"));
  CHECK_THROWS_WITH(check_options(json{{"train.max_steps", 3}}, "base.json"),
                    contains("base.json: /train.max_steps: no such option; write it inside the "
                             "object of its section: {\"train\": {\"max_steps\": ...}}"));
}

TEST_CASE("a misspelt name is refused with the names there are", "[unit]") {
  CHECK_THROWS_WITH(check_options(json{{"model", {{"norm", "pots"}}}}, "x"),
                    contains("x: /model/norm: expected one of post, pre, got \"pots\""));
  CHECK_THROWS_WITH(
      check_options(json{{"model", {{"cross_attention", {{"kind", "ful"}}}}}}, "x"),
      contains("x: /model/cross_attention/kind: expected one of full, tiled, fused_torch, got"));
}

TEST_CASE("a whole number may stand where a fraction may, but not the other way", "[unit]") {
  CHECK_NOTHROW(check_options(at_key("model.dropout", 0), "x"));
  CHECK_THROWS_WITH(check_options(at_key("model.d_ff", 2.5), "x"),
                    contains("/model/d_ff: expected a whole number such as 2048, got 2.5"));
  CHECK_NOTHROW(check_options(at_key("model.d_ff", 2e3), "x"));
  CHECK_THROWS_AS(check_options(at_key("model.d_ff", 1e30), "x"), OptionsError);
  CHECK_NOTHROW(
      check_options(json{{"model", {{"encoder_attention", {{"pruned_heads", {1e1}}}}}}}, "x"));
}

}  // namespace option_tree_test

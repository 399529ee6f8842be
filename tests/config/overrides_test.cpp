#include "dragoman/config/overrides.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "support/catch.h"

#include <string>
#include <vector>

namespace overrides_test {

using namespace dragoman;
using test::contains;
using Files = std::vector<std::string>;

namespace {

RunOptions tiny(const std::vector<std::string>& settings,
                const std::vector<OptionFlag>& flags = {}) {
  return preset_run_options("tiny", settings, flags);
}

const std::vector<OptionFlag> two_corpora = {
    {"--train-source", "data.train_source", Files{"a", "b"}},
    {"--train-target", "data.train_target", Files{"c", "d"}}};

}  // namespace

TEST_CASE("settings and flags are validated together, not one by one", "[unit]") {
  const auto options = tiny({"data.weights=[2,0.5]"}, two_corpora);
  CHECK(options.data.weights == std::vector<double>{2, 0.5});
  CHECK(options.data.train_source == Files{"a", "b"});
}

TEST_CASE("a setting for all layers changes each of a list that another setting gave", "[unit]") {
  const auto attention =
      tiny({R"(model.encoder_attention=[{"kind":"local"},{"kind":"local"},{"kind":"local"},
               {"kind":"linear"}])",
            "model.encoder_attention.radius=3"})
          .model.encoder_attention;
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    const auto& of_layer = attention.of_layer(layer).common;
    CHECK(of_layer.kind == (layer < 3 ? AttentionKind::local : AttentionKind::linear));
    CHECK(of_layer.radius == 3);
  }
}

TEST_CASE("a vocabulary size that is asked for is a hard limit, that of a preset is not",
          "[unit]") {
  CHECK_FALSE(tiny({}).tokenizer.hard_vocab_limit);
  CHECK(tiny({"tokenizer.vocab_size=500"}).tokenizer.hard_vocab_limit);
  CHECK_FALSE(tiny({"tokenizer.vocab_size=500", "tokenizer.hard_vocab_limit=false"})
                  .tokenizer.hard_vocab_limit);
  CHECK_FALSE(tiny({R"(tokenizer={"hard_vocab_limit":false})", "tokenizer.vocab_size=500"})
                  .tokenizer.hard_vocab_limit);
  CHECK(tiny({R"(tokenizer={"vocab_size":500})"}).tokenizer.hard_vocab_limit);
  CHECK(parse_run_options(R"({"tokenizer": {"vocab_size": 500}})", "x").tokenizer.hard_vocab_limit);
  CHECK_FALSE(parse_run_options("{}", "x").tokenizer.hard_vocab_limit);
}

TEST_CASE("a wrong value is told with the setting or flag it comes from", "[unit]") {
  CHECK_THROWS_WITH(tiny({"data.weights=[2]"}, two_corpora),
                    contains("--set data.weights=[2]: 1 weight, "));
  CHECK_THROWS_WITH(tiny({}, {{"--max-steps", "train.max_steps", 0}}),
                    contains("--max-steps: train.max_steps: 0 is outside 1 to 1e12"));
  CHECK_THROWS_WITH(tiny({"model.encoder_attention.radius=-1"}),
                    contains("--set model.encoder_attention.radius=-1: -1 is outside"));
  CHECK_THROWS_WITH(tiny({"train.max_steps=5", "model.d_model=30"}),
                    contains("--set model.d_model=30: model.num_heads: "));
  const auto given = read_overrides({"model.norm=pre", "model.norm_keys=false"}, {});
  CHECK(given.places_in("a: model.norm_keys is one") == "--set model.norm_keys=false");
  CHECK(given.places_in("a: model.norm is one") == "--set model.norm=pre");
  CHECK(given.places_in("model.d_ff: 1 is odd") ==
        "--set model.norm=pre, --set model.norm_keys=false");
  CHECK(given.places_in("train.seed: 1 is odd").empty());
  CHECK_THROWS_WITH(
      tiny({"seed=3"}, {{"--max-steps", "train.max_steps", 2},
                        {"--train-source", "data.train_source", Files{"a"}}}),
      "--train-source: data.train_target: missing beside data.train_source; name a target file for "
      "each source file, in the same order");
}

TEST_CASE("a key of no form that options have is refused like any other", "[unit]") {
  for (const std::string setting : {R"(model={"a~b":1})", R"(model={"a/b":1})",
                                    "data.weights.99999999999999999999=1", "data.weights.0=1"}) {
    CAPTURE(setting);
    CHECK_THROWS_AS(tiny({setting}), OptionsError);
  }
  CHECK_THROWS_WITH(tiny({"train.max_steps=99999999999999999999"}),
                    contains("99999999999999999999 does not fit 64 bits"));
}

TEST_CASE("settings of other groups are refused, within an object too", "[unit]") {
  const auto expect = [](const std::string& setting) {
    expect_settings_of({"search", "model.d_model"}, {setting}, "has no effect here");
  };
  CHECK_NOTHROW(expect("search.beam_size=2"));
  CHECK_NOTHROW(expect(R"(search={"beam_size":2})"));
  CHECK_NOTHROW(expect(R"(model={"d_model":64})"));
  CHECK_THROWS_WITH(expect(R"(model={"d_model":64,"d_ff":128})"),
                    "--set model.d_ff: has no effect here");
  CHECK_THROWS_WITH(expect("seed=3"), "--set seed: has no effect here");
}

TEST_CASE("a setting and a flag of the same option are refused", "[unit]") {
  CHECK_THROWS_WITH(
      tiny({"train.max_steps=5"}, {{"--max-steps", "train.max_steps", 6}}),
      "--max-steps: sets train.max_steps, which --set train.max_steps=5 sets too; leave "
      "one of them out");
  CHECK_THROWS_WITH(tiny({R"(train={"max_steps": 5})"}, {{"--max-steps", "train.max_steps", 6}}),
                    contains("--max-steps: sets train.max_steps"));
  CHECK_NOTHROW(tiny({R"(train={"max_epochs": 5})"}, {{"--max-steps", "train.max_steps", 6}}));
}

TEST_CASE("a value of another kind is told what is expected", "[unit]") {
  CHECK_THROWS_WITH(
      tiny({"train.max_steps=ten"}),
      "--set train.max_steps=ten: expected a whole number such as 100000, got \"ten\"");
  CHECK_THROWS_WITH(tiny({"model.dropout=much"}),
                    contains("expected a number such as 0.1, got \"much\""));
  CHECK_THROWS_WITH(tiny({"train.tensorboard=yes"}),
                    contains("expected true or false, got \"yes\""));
  CHECK_THROWS_WITH(tiny({"data.train_source=a.txt"}),
                    contains("expected a list of texts such as [\"a.txt\"], got \"a.txt\""));
  CHECK_THROWS_WITH(tiny({"data.target_tag=de"}),
                    contains("expected a list of texts such as [\"de\"], got \"de\""));
  CHECK_THROWS_WITH(tiny({"train.precision=fp16"}),
                    contains("got \"fp16\"; float16 would need loss scaling: choose bf16"));
  CHECK_THROWS_WITH(tiny({"data.weights=[2,"}), contains("--set data.weights=[2,: line 1"));
}

TEST_CASE("an empty value is refused, and an empty text has to be written", "[unit]") {
  CHECK_THROWS_WITH(tiny({"train.max_steps="}), contains("--set train.max_steps=: has no value"));
  CHECK_THROWS_WITH(tiny({"train.device="}), contains("write \"\" for an empty text"));
  CHECK(tiny({"data.valid_source=\"\""}).data.valid_source.empty());
}

}  // namespace overrides_test

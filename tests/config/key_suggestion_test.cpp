#include "dragoman/config/key_suggestion.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "support/catch.h"

#include <string>

namespace key_suggestion_test {

using namespace dragoman;
using test::contains;
using Keys = std::vector<std::string>;

TEST_CASE("a mistyped key suggests the nearest of its section", "[unit]") {
  CHECK(similar_keys("train.max_step") == Keys{"train.max_steps"});
  CHECK(similar_keys("train.warmup_stepz") == Keys{"train.warmup_steps"});
  CHECK(similar_keys("modle.d_ff") == Keys{"model.d_ff"});
  CHECK(similar_keys("model.encoder_attention.radios") == Keys{"model.encoder_attention.radius"});
}

TEST_CASE("a key in the wrong section, or in none, suggests where it is", "[unit]") {
  CHECK(similar_keys("train.d_model") == Keys{"model.d_model"});
  CHECK(similar_keys("max_steps") == Keys{"train.max_steps"});
  CHECK(similar_keys("max_step") == Keys{"train.max_steps"});
  CHECK(similar_keys("model.seed") == Keys{"seed"});
  CHECK(similar_keys("max_sentences") == Keys{"tokenizer.max_sentences", "train.max_sentences"});
}

TEST_CASE("names of other programs suggest ours", "[unit]") {
  CHECK(similar_keys("lr") == Keys{"train.learning_rate"});
  CHECK(similar_keys("train.epochs") == Keys{"train.max_epochs"});
  CHECK(similar_keys("Max-Tokens") == Keys{"train.batch_tokens", "search.batch_tokens"});
}

TEST_CASE("of several options with the name, those of the section that was typed", "[unit]") {
  CHECK(similar_keys("search.max_tokens") == Keys{"search.batch_tokens"});
  CHECK(similar_keys("search.batch_size") == Keys{"search.batch_tokens"});
  CHECK(similar_keys("train.batch_size") == Keys{"train.batch_tokens", "train.max_sentences"});
  CHECK(similar_keys("search.fp16") == Keys{"search.precision"});
  CHECK(similar_keys("model.fp16") == Keys{"train.precision", "search.precision"});
  CHECK(similar_keys("early_stopping") == Keys{"search.early_stopping", "train.patience"});
  CHECK(similar_keys("train.early_stopping") == Keys{"train.patience"});
}

TEST_CASE("nothing is suggested where nothing is near", "[unit]") {
  CHECK(similar_keys("no_such_option_at_all").empty());
  CHECK(key_suggestion("quux").empty());
}

TEST_CASE("files and settings with an unknown key are told which was meant", "[unit]") {
  CHECK_THROWS_WITH(parse_run_options(R"({"train": {"max_step": 10}})", "a.json"),
                    "a.json: /train/max_step: no such option; did you mean train.max_steps?");
  CHECK_THROWS_WITH(with_overrides(RunOptions{}, {"max_steps=10"}),
                    "--set max_steps=10: no such option; did you mean train.max_steps?");
  CHECK_THROWS_WITH(with_overrides(RunOptions{}, {"train.quux=10"}),
                    contains("--set train.quux=10: no such option; known here: accumulate, ") &&
                        contains("'dragoman info --options' describes them all"));
}

}  // namespace key_suggestion_test

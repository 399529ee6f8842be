#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "support/catch.h"

#include <string>
#include <vector>

namespace fixed_keys_test {

using namespace dragoman;
using Keys = std::vector<std::string>;

TEST_CASE("equal configurations differ in no key", "[unit]") {
  CHECK(changed_fixed_keys(RunOptions{}, RunOptions{}).empty());
}

TEST_CASE("a change of what decides the weights is named", "[unit]") {
  RunOptions now;
  now.seed = 2;
  now.model.d_ff = 1;
  now.tokenizer.vocab_size = 100;
  now.data.weights = {2.0};
  now.train.batch_tokens = 1;
  CHECK(changed_fixed_keys(RunOptions{}, now) ==
        Keys{"data.weights", "model.d_ff", "seed", "tokenizer.vocab_size", "train.batch_tokens"});
}

TEST_CASE("limits, validation, records, search, devices and paths of text may change", "[unit]") {
  RunOptions now;
  now.train.max_steps = 1;
  now.train.max_epochs = 1;
  now.train.max_seconds = 1.0;
  now.train.patience = 1;
  now.train.validate_every = 1;
  now.train.bleu_tokenizer = BleuTokens::zh;
  now.train.log_every = 1;
  now.train.checkpoint_every = 1;
  now.train.keep_checkpoints = 9;
  now.train.recompute = Recompute::every;
  now.train.recompute_every = 3;
  now.train.tensorboard = true;
  now.train.device = "cuda:1";
  now.train.workers = 3;
  now.train.tf32 = true;
  now.data.train_source = now.data.train_target = {"x", "y"};
  now.data.valid_source = "v";
  now.data.prefetch = 9;
  now.search.beam_size = 9;
  CHECK(changed_fixed_keys(RunOptions{}, now).empty());
}

TEST_CASE("what other options exclude may change, unless it is read before or now", "[unit]") {
  RunOptions before, now;
  now.train.cutoff = 0.5;
  now.model.scale_value = 3.0;
  CHECK(changed_fixed_keys(before, now).empty());
  before.train.consistency = now.train.consistency = Consistency::simcut;
  CHECK(changed_fixed_keys(before, now) == Keys{"train.cutoff"});
  before.train.consistency = Consistency::none;
  CHECK(changed_fixed_keys(before, now) == Keys{"train.consistency", "train.cutoff"});
}

TEST_CASE("attention may change to another kind of the same function alone", "[unit]") {
  const auto changed = [](const std::string& before, const std::string& now) {
    const auto with = [](const std::string& attention) {
      return parse_run_options(
          "{\"model\": {\"encoder_layers\": 2, \"num_heads\": 2, "
          "\"encoder_attention\": " +
              attention + "}}",
          "options");
    };
    return changed_fixed_keys(with(before), with(now));
  };
  const Keys attention{"model.encoder_attention"};
  CHECK(changed("{}", R"({"kind": "tiled"})").empty());
  CHECK(changed(R"({"limit_mb": 5})", R"([{"kind": "tiled"}, {"kind": "full"}])").empty());
  CHECK(changed("{}", R"({"heads": [{"kind": "tiled"}, {}]})").empty());
  CHECK(changed("{}", R"({"kind": "local"})") == attention);
  CHECK(changed("{}", R"([{"kind": "full"}, {"kind": "local"}])") == attention);
  CHECK(changed("{}", R"({"heads": [{"kind": "local"}, {}]})") == attention);
  CHECK(changed("{}", R"([{"pruned_heads": [1]}, {"kind": "tiled"}])") == attention);
  CHECK(changed(R"({"kind": "local", "radius": 2})", R"({"kind": "local", "radius": 3})") ==
        attention);
}

}  // namespace fixed_keys_test

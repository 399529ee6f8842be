#include "dragoman/config/parse.h"
#include "support/catch.h"
#include "support/log_taken.h"

#include <string>
#include <vector>

namespace unused_settings_test {

namespace {

using Lines = std::vector<std::string>;

/// What is warned of when preset tiny is read with `settings`.
Lines warned(const Lines& settings) {
  test::LogTaken log;
  dragoman::preset_run_options("tiny", settings);
  return log.warnings;
}

}  // namespace

TEST_CASE("a setting that another option excludes is warned of", "[unit]") {
  CHECK(warned({"search.top_k=5"}) ==
        Lines{"--set search.top_k=5: search.top_k has no effect unless search.sample is true"});
  CHECK(warned({"train.decay_steps=9000"}) ==
        Lines{"--set train.decay_steps=9000: train.decay_steps has no effect unless "
              "train.schedule is linear or cosine"});
  CHECK(warned({"search.greedy=true", "search.beam_size=8"}).size() == 1);
  CHECK(warned({"model.encoder_attention.rank=8"}) ==
        Lines{"--set model.encoder_attention.rank=8: model.encoder_attention.rank has no effect "
              "unless model.encoder_attention.kind is low_rank"});
  CHECK(warned({"train.patience=3"}) ==
        Lines{"--set train.patience=3: train.patience has no effect "
              "without data.valid_source"});
  CHECK(warned({R"(train={"cutoff": 0.1, "consistency": "rdrop"})"}).size() == 1);
}

TEST_CASE("a setting that is read, or that is the default, is not warned of", "[unit]") {
  CHECK(warned({"search.top_k=5", "search.sample=true"}).empty());
  CHECK(warned({"search.top_k=0"}).empty());
  CHECK(warned({"train.patience=3", "data.valid_source=a", "data.valid_target=b"}).empty());
  CHECK(warned({"train.schedule=cosine", "train.decay_steps=9000"}).empty());
  CHECK(warned({"model.encoder_attention.kind=local", "model.encoder_attention.radius=3"}).empty());
}

TEST_CASE("a setting that one head alone reads is not warned of", "[unit]") {
  CHECK(warned({R"(model.encoder_attention={"radius": 3, "heads":
                 [{"kind": "local"}, {"kind": "full"}, {"kind": "full"}, {"kind": "full"}]})"})
            .empty());
}

}  // namespace unused_settings_test

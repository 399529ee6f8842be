#include "dragoman/config/run_options.h"
#include "support/catch.h"

#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace options_test {

using namespace dragoman;
using test::contains;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string key;  ///< that the message must begin with
  std::function<void(RunOptions&)> change;
};

const std::vector<Case>& wrong_values() {
  static const std::vector<Case> cases = {
      {"seed", [](RunOptions& o) { o.seed = -1; }},
      {"model.d_model", [](RunOptions& o) { o.model.d_model = 0; }},
      {"model.d_model", [](RunOptions& o) { o.model.d_model = 65537; }},
      {"model.d_model", [](RunOptions& o) { o.model.d_model = 15, o.model.num_heads = 5; }},
      {"model.d_ff", [](RunOptions& o) { o.model.d_ff = -1; }},
      {"model.num_heads", [](RunOptions& o) { o.model.num_heads = 0; }},
      {"model.num_heads", [](RunOptions& o) { o.model.num_heads = 7; }},
      {"model.num_heads", [](RunOptions& o) { o.model.num_heads = 7, o.model.d_k = 3; }},
      {"model.d_k", [](RunOptions& o) { o.model.d_k = -1; }},
      {"model.d_v", [](RunOptions& o) { o.model.d_v = -1; }},
      {"model.encoder_layers", [](RunOptions& o) { o.model.encoder_layers = 0; }},
      {"model.decoder_layers", [](RunOptions& o) { o.model.decoder_layers = 513; }},
      {"model.decoder_d_ff", [](RunOptions& o) { o.model.decoder_d_ff = -1; }},
      {"model.position_offset", [](RunOptions& o) { o.model.position_offset = -1; }},
      {"model.embed_scale_value", [](RunOptions& o) { o.model.embed_scale_value = -0.5; }},
      {"model.dropout", [](RunOptions& o) { o.model.dropout = 1.0; }},
      {"model.dropout", [](RunOptions& o) { o.model.dropout = -1.0; }},
      {"model.dropout", [](RunOptions& o) { o.model.dropout = nan_value; }},
      {"model.embedding_dropout", [](RunOptions& o) { o.model.embedding_dropout = -0.5; }},
      {"model.residual_dropout", [](RunOptions& o) { o.model.residual_dropout = 1.0; }},
      {"model.activation_dropout", [](RunOptions& o) { o.model.activation_dropout = nan_value; }},
      {"model.attention_dropout", [](RunOptions& o) { o.model.attention_dropout = -2.0; }},
      {"model.layer_norm_eps", [](RunOptions& o) { o.model.layer_norm_eps = 0.0; }},
      {"model.max_positions", [](RunOptions& o) { o.model.max_positions = 0; }},
      {"model.max_positions",
       [](RunOptions& o) { o.model.position = Position::learned, o.model.max_positions = 256; }},
      {"model.scale_value", [](RunOptions& o) { o.model.scale_value = 0.0; }},
      {"model.conv_width", [](RunOptions& o) { o.model.conv_width = 0; }},
      {"model.conv_width", [](RunOptions& o) { o.model.conv_width = 4; }},
      {"model.d_model",
       [](RunOptions& o) {
         o.model.position = Position::none;
         o.model.encoder_layer = EncoderLayerKind::lstm;
         o.model.d_model = 15, o.model.num_heads = 5;
       }},
      {"model.encoder_layer",
       [](RunOptions& o) {
         o.model.encoder_layer = EncoderLayerKind::conv;
         o.model.encoder_attention.layers.front().common.kind = AttentionKind::local;
       }},
      {"model.decoder_layer",
       [](RunOptions& o) {
         o.model.decoder_layer = DecoderLayerKind::lstm;
         o.model.decoder_attention.layers.front().common.kind = AttentionKind::tiled;
       }},
      {"model.share_embeddings", [](RunOptions& o) { o.tokenizer.joint = false; }},
      {"tokenizer.vocab_size", [](RunOptions& o) { o.tokenizer.vocab_size = 4; }},
      {"tokenizer.character_coverage", [](RunOptions& o) { o.tokenizer.character_coverage = 2; }},
      {"tokenizer.max_sentences", [](RunOptions& o) { o.tokenizer.max_sentences = -1; }},
      {"data.train_target", [](RunOptions& o) { o.data.train_source = {"a"}; }},
      {"data.train_source", [](RunOptions& o) { o.data.train_source = {"\xff"}; }},
      {"data.train_source", [](RunOptions& o) { o.data.train_source = {""}; }},
      {"data.train_target", [](RunOptions& o) { o.data.train_target = {std::string("a\0b", 3)}; }},
      {"data.valid_source", [](RunOptions& o) { o.data.valid_source = std::string(5000, 'a'); }},
      {"data.weights", [](RunOptions& o) { o.data.weights = {1.0}; }},
      {"data.weights",
       [](RunOptions& o) {
         o.data.train_source = o.data.train_target = {"a"};
         o.data.weights = {0.0};
       }},
      {"data.valid_target", [](RunOptions& o) { o.data.valid_source = "a"; }},
      {"data.valid_source", [](RunOptions& o) { o.data.valid_target = "a"; }},
      {"data.max_length", [](RunOptions& o) { o.data.max_length = 0; }},
      {"data.max_ratio", [](RunOptions& o) { o.data.max_ratio = 0.5; }},
      {"data.prefetch", [](RunOptions& o) { o.data.prefetch = 0; }},
      {"train.max_steps", [](RunOptions& o) { o.train.max_steps = 0; }},
      {"train.max_epochs", [](RunOptions& o) { o.train.max_epochs = -1; }},
      {"train.max_seconds", [](RunOptions& o) { o.train.max_seconds = nan_value; }},
      {"train.patience", [](RunOptions& o) { o.train.patience = -1; }},
      {"train.early_stopping_metric",
       [](RunOptions& o) {
         o.train.early_stopping_metric = ValidationMetric::bleu;
         o.train.patience = 1;
         o.train.validate_translations = false;
       }},
      {"train.batch_tokens", [](RunOptions& o) { o.train.batch_tokens = -1; }},
      {"train.max_sentences", [](RunOptions& o) { o.train.max_sentences = -1; }},
      {"train.accumulate", [](RunOptions& o) { o.train.accumulate = 0; }},
      {"train.clip_norm", [](RunOptions& o) { o.train.clip_norm = -1.0; }},
      {"train.label_smoothing", [](RunOptions& o) { o.train.label_smoothing = 1.0; }},
      {"train.beta1", [](RunOptions& o) { o.train.beta1 = 1.0; }},
      {"train.beta2", [](RunOptions& o) { o.train.beta2 = -0.1; }},
      {"train.adam_eps", [](RunOptions& o) { o.train.adam_eps = 0.0; }},
      {"train.weight_decay", [](RunOptions& o) { o.train.weight_decay = -1.0; }},
      {"train.learning_rate", [](RunOptions& o) { o.train.learning_rate = 0.0; }},
      {"train.warmup_steps", [](RunOptions& o) { o.train.warmup_steps = 0; }},
      {"train.decay_steps", [](RunOptions& o) { o.train.schedule = Schedule::linear; }},
      {"train.decay_steps",
       [](RunOptions& o) {
         o.train.schedule = Schedule::cosine;
         o.train.decay_steps = o.train.warmup_steps;
       }},
      {"train.ema_decay", [](RunOptions& o) { o.train.ema_decay = 1.0; }},
      {"train.max_skipped", [](RunOptions& o) { o.train.max_skipped = -1; }},
      {"train.log_every", [](RunOptions& o) { o.train.log_every = 0; }},
      {"train.validate_every", [](RunOptions& o) { o.train.validate_every = -1; }},
      {"train.validate_sentences", [](RunOptions& o) { o.train.validate_sentences = -1; }},
      {"train.checkpoint_every", [](RunOptions& o) { o.train.checkpoint_every = -1; }},
      {"train.keep_checkpoints", [](RunOptions& o) { o.train.keep_checkpoints = 1; }},
      {"train.device", [](RunOptions& o) { o.train.device = "cuda:"; }},
      {"train.device", [](RunOptions& o) { o.train.device = "tpu"; }},
      {"train.tf32",
       [](RunOptions& o) {
         o.train.tf32 = true;
         o.train.device = "cpu";
       }},
      {"train.workers", [](RunOptions& o) { o.train.workers = -1; }},
      {"train.threads", [](RunOptions& o) { o.train.threads = -1; }},
      {"search.beam_size", [](RunOptions& o) { o.search.beam_size = 0; }},
      {"search.length_penalty", [](RunOptions& o) { o.search.length_penalty = nan_value; }},
      {"search.n_best", [](RunOptions& o) { o.search.n_best = 5; }},
      {"search.max_length", [](RunOptions& o) { o.search.max_length = -1; }},
      {"search.max_length_offset", [](RunOptions& o) { o.search.max_length_offset = 0; }},
      {"search.no_repeat_ngram", [](RunOptions& o) { o.search.no_repeat_ngram = -1; }},
      {"search.batch_tokens", [](RunOptions& o) { o.search.batch_tokens = 0; }},
      {"search.n_best", [](RunOptions& o) { o.search.greedy = true, o.search.n_best = 2; }},
      {"search.n_best", [](RunOptions& o) { o.search.sample = true, o.search.n_best = 1025; }},
      {"search.sample", [](RunOptions& o) { o.search.sample = o.search.greedy = true; }},
      {"search.temperature", [](RunOptions& o) { o.search.temperature = 0.0; }},
      {"search.temperature", [](RunOptions& o) { o.search.temperature = nan_value; }},
      {"search.top_k", [](RunOptions& o) { o.search.top_k = -1; }},
      {"search.top_p", [](RunOptions& o) { o.search.top_p = 0.0; }},
      {"search.top_p", [](RunOptions& o) { o.search.top_p = 1.5; }},
      {"search.coverage_penalty", [](RunOptions& o) { o.search.coverage_penalty = -0.1; }},
      {"search.coverage_penalty",
       [](RunOptions& o) { o.search.sample = true, o.search.coverage_penalty = 0.2; }},
  };
  return cases;
}

}  // namespace

TEST_CASE("the defaults are valid", "[unit]") { CHECK_NOTHROW(RunOptions{}.validate()); }

TEST_CASE("each option out of range is refused with its key, the value's fault and a remedy",
          "[unit]") {
  for (const auto& wrong : wrong_values()) {
    CAPTURE(wrong.key);
    RunOptions options;
    wrong.change(options);
    std::string message;
    try {
      options.validate();
    } catch (const OptionsError& error) {
      message = error.what();
    }
    CHECK(message.rfind(wrong.key + ": ", 0) == 0);
    CHECK_THAT(message, contains("; "));
  }
}

TEST_CASE("heads need not divide the width where both head widths are given", "[unit]") {
  ModelOptions model;
  model.num_heads = 7;
  model.d_k = 5;
  model.d_v = 6;
  CHECK_NOTHROW(model.validate());
}

TEST_CASE("an odd width is fine without sinusoidal positions", "[unit]") {
  ModelOptions model;
  model.d_model = 15;
  model.num_heads = 5;
  model.position = Position::learned;
  CHECK_NOTHROW(model.validate());
}

TEST_CASE("a dropout of -1 stands for the dropout of all places", "[unit]") {
  ModelOptions model;
  model.dropout = 0.3;
  model.attention_dropout = 0.0;
  CHECK_NOTHROW(model.validate());
  CHECK(model.residual_dropout_rate() == 0.3);
  CHECK(model.attention_dropout_rate() == 0.0);
}

TEST_CASE("separate vocabularies may still share target and output", "[unit]") {
  RunOptions options;
  options.tokenizer.joint = false;
  options.model.share_embeddings = ShareEmbeddings::target_output;
  CHECK_NOTHROW(options.validate());
}

TEST_CASE("settings for another kind of search leave out what the run has for its own", "[unit]") {
  SearchOptions run;
  run.greedy = true;
  run.coverage_penalty = 0.2;
  run.n_best = 3;
  const auto left = [&run](const char* settings) {
    const auto search = without_other_search(run, nlohmann::json::parse(settings));
    return std::tuple(search.greedy, search.coverage_penalty, search.n_best);
  };
  const std::tuple same(true, 0.2, std::int64_t{3});
  CHECK(left(R"({})") == same);
  CHECK(left(R"({"search": {"beam_size": 8, "sample": false}})") == same);
  CHECK(left(R"({"search": {"sample": true, "greedy": true}})") == same);
  CHECK(left(R"({"search": {"sample": true}})") == std::tuple(false, 0.0, std::int64_t{3}));
  CHECK(left(R"({"search": {"greedy": true}})") == std::tuple(false, 0.0, std::int64_t{1}));
}

}  // namespace options_test

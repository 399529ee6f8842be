#include "dragoman/config/auto_preset.h"

#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <nlohmann/json.hpp>

#include <array>

namespace dragoman {

namespace {

struct SizeClass {
  std::int64_t below;  ///< pairs
  const char* preset;
  std::int64_t vocab_size;
  double dropout;
  const char* training = "";
};

// A learning rate that reaches its peak after few epochs, where the presets' own takes 4,000
// updates, and then falls to 0; no dropout inside attention and feed-forward layers. The fewest
// pairs have fewer layers and smaller batches.
constexpr const char* training_of_thousands = R"({
  "model": {"encoder_layers": 3, "decoder_layers": 3, "attention_dropout": 0,
            "activation_dropout": 0},
  "train": {"schedule": "cosine", "learning_rate": 0.002, "warmup_steps": 400,
            "decay_steps": 4000, "max_steps": 4000, "batch_tokens": 1024,
            "validate_every": 250, "checkpoint_every": 250}})";

constexpr const char* training_of_ten_thousand = R"({
  "model": {"attention_dropout": 0, "activation_dropout": 0},
  "train": {"schedule": "cosine", "learning_rate": 0.003, "warmup_steps": 800,
            "decay_steps": 5000, "max_steps": 5000, "batch_tokens": 2048,
            "validate_every": 250, "checkpoint_every": 250}})";

constexpr const char* training_of_tens_of_thousands = R"({
  "model": {"attention_dropout": 0, "activation_dropout": 0},
  "train": {"schedule": "cosine", "learning_rate": 0.004, "warmup_steps": 1500,
            "decay_steps": 8000, "max_steps": 8000, "batch_tokens": 4096}})";

constexpr const char* training_of_hundreds_of_thousands = R"({
  "model": {"encoder_layers": 3, "decoder_layers": 3, "d_ff": 512, "attention_dropout": 0,
            "activation_dropout": 0},
  "train": {"schedule": "cosine", "learning_rate": 0.002, "warmup_steps": 1000,
            "decay_steps": 10000, "max_steps": 10000, "batch_tokens": 4096}})";

constexpr std::int64_t words_of_pair = 10;

constexpr std::array size_classes = {
    SizeClass{3'000, "tiny", 1'000, 0.2, training_of_thousands},
    SizeClass{8'000, "tiny", 2'000, 0.2, training_of_thousands},
    SizeClass{20'000, "tiny", 2'000, 0.2, training_of_ten_thousand},
    SizeClass{80'000, "tiny", 5'000, 0.2, training_of_tens_of_thousands},
    SizeClass{400'000, "small", 8'000, 0.2, training_of_hundreds_of_thousands},
    SizeClass{2'000'000, "base", 16'000, 0.2},
    SizeClass{10'000'000, "base", 32'000, 0.1},
};

constexpr SizeClass largest_class{0, "big", 32'000, 0.1};

AutoPreset made_of(const SizeClass& size_class, std::string reason) {
  return {.preset = size_class.preset,
          .vocab_size = size_class.vocab_size,
          .dropout = size_class.dropout,
          .training = size_class.training,
          .reason = std::move(reason)};
}

}  // namespace

std::string AutoPreset::text() const {
  auto text = nlohmann::json::parse(preset_text(preset));
  if (!training.empty()) text.merge_patch(nlohmann::json::parse(training));
  text["tokenizer"]["vocab_size"] = vocab_size;
  text["tokenizer"]["hard_vocab_limit"] = false;
  text["model"]["dropout"] = dropout;
  return text.dump();
}

AutoPreset choose_preset(const CorpusSize& size) {
  for (const auto& one : size_classes) {
    if (size.pairs < one.below)
      return made_of(one, concat("fewer than ", grouped(one.below), " pairs"));
    if (size.target_words < one.below * words_of_pair)
      return made_of(one,
                     concat("fewer than ", grouped(one.below * words_of_pair), " target words"));
  }
  return made_of(largest_class, concat(grouped(size_classes.back().below), " pairs or more"));
}

}  // namespace dragoman

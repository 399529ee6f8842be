#include "dragoman/train/tensorboard_log.h"

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

struct Curve {
  const char* key;  ///< in train.jsonl
  const char* tag;
};

constexpr std::array curves{Curve{"loss", "loss"},
                            Curve{"nll", "nll"},
                            Curve{"smoothed_loss", "smoothed_loss"},
                            Curve{"consistency", "consistency"},
                            Curve{"perplexity", "perplexity"},
                            Curve{"accuracy", "accuracy"},
                            Curve{"bleu", "bleu"},
                            Curve{"chrf", "chrf"},
                            Curve{"learning_rate", "learning_rate"},
                            Curve{"gradient_norm", "gradient_norm"},
                            Curve{"padding", "padding"},
                            Curve{"target_tokens_per_second", "tokens_per_second"}};

/// Escaped for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

TensorBoardLog::TensorBoardLog(const std::filesystem::path& run_dir, const TrainingState& state,
                               bool validates)
    : train_(run_dir / "tensorboard" / "train", state.step + 1) {
  if (!validates) return;
  const bool has_validated = validated_step(state) == state.step;
  validation_.emplace(run_dir / "tensorboard" / "validation", state.step + (has_validated ? 1 : 0));
}

void TensorBoardLog::write(const nlohmann::json& record) {
  const auto event = record.value("event", "");
  if (event != "train" && (event != "validation" || !validation_)) return;
  std::vector<std::pair<std::string, double>> scalars;
  for (const auto& curve : curves)
    if (const auto value = record.find(curve.key); value != record.end() && value->is_number())
      scalars.emplace_back(curve.tag, value->get<double>());
  (event == "train" ? train_ : *validation_).write(record.at("step").get<std::int64_t>(), scalars);
}

void TensorBoardLog::write_configuration(std::int64_t step, const std::string& json) {
  std::istringstream lines(json);
  std::string block;
  for (std::string line; std::getline(lines, line);) block += "    " + line + '\n';
  train_.write_text(step, "configuration", block);
}

void TensorBoardLog::write_samples(std::int64_t step,
                                   const std::vector<SampleTranslation>& samples) {
  if (samples.empty() || !validation_) return;
  std::string table = "| source | translation | reference |\n|---|---|---|\n";
  for (const auto& sample : samples)
    table += "| " + cell(sample.source) + " | " + cell(sample.translation) + " | " +
             cell(sample.reference) + " |\n";
  validation_->write_text(step, "samples", table);
}

}  // namespace dragoman

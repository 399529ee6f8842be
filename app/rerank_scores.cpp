#include "rerank_scores.h"

#include "dragoman/language_model/text_scoring.h"

#include <memory>
#include <mutex>

namespace dragoman::app {

namespace {

struct SharedLanguageModel {
  LoadedLanguageModel loaded;
  std::mutex mutex;  // LibTorch's threads do one batch at a time
};

}  // namespace

LanguageModelScores scores_of_language_model(const std::filesystem::path& run_dir) {
  auto shared = std::make_shared<SharedLanguageModel>(load_language_model(run_dir));
  return [shared](std::span<const std::string> texts) {
    const std::lock_guard lock(shared->mutex);
    std::vector<TextLogProb> found;
    for (const auto& score : score_texts(shared->loaded, texts, {.blank = BlankText::eos}))
      found.push_back({.log_prob = score.log_prob, .pieces = score.tokens});
    return found;
  };
}

}  // namespace dragoman::app

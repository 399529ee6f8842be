#include "dragoman/planning/check_warnings.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/metrics/tokenizers.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/memory_estimate.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace dragoman {

namespace {

constexpr double seconds_of_a_day = 86400.0;

std::string shortage(const DiskNeed& need) {
  return concat(bytes_text(need.bytes), " are needed, but only ",
                bytes_text(static_cast<double>(need.free.value_or(0))), " are free");
}

}  // namespace

std::vector<std::string> budget_warnings(const RunOptions& options, const TrainingCheck& check) {
  std::vector<std::string> warnings;
  const auto& estimate = *check.estimate;
  const auto& budget = *check.budget;
  if (auto warning = memory_warning(options, estimate.memory_mb, check.free_memory))
    warnings.push_back(*warning);
  if (check.disk) {
    const auto& [run, data_cache, has_text] = *check.disk;
    if (!run.fits())
      warnings.push_back(concat("disk: ", shortage(run),
                                "; lower train.keep_checkpoints or choose another folder"));
    if (data_cache && !data_cache->fits())
      warnings.push_back(
          concat("--data-cache: ", shortage(*data_cache), "; choose another folder"));
  }
  if (budget.seconds > seconds_of_a_day)
    warnings.push_back(concat("time: up to ", duration_text(budget.seconds),
                              " on this machine; set train.max_seconds or train.max_steps, or "
                              "choose a smaller model"));
  if (options.train.patience > 0 && options.data.valid_source.empty())
    warnings.push_back(
        concat("no validation text: train.patience cannot end the training early, only ",
               budget.limit, "; give --valid-source and --valid-target"));
  std::ranges::move(
      doubtful_rates(options.train, check.done.updates + budget.updates, check.resumes),
      std::back_inserter(warnings));
  return warnings;
}

std::optional<std::string> unsplit_validation(const RunOptions& options) {
  constexpr std::size_t most_lines = 1000;
  if (options.data.valid_target.empty() || !options.train.validate_translations)
    return std::nullopt;
  return unsplit_warning(first_lines(options.data.valid_target, most_lines),
                         tokenizer_named(options.train.bleu_tokenizer_name()),
                         "train.bleu_tokenizer=");
}

std::vector<std::string> unfilled_warnings(const Vocabulary& vocabulary, std::int64_t asked) {
  std::vector<std::string> warnings;
  const auto add = [&](const char* text, const Tokenizer& tokenizer) {
    if (tokenizer.vocab_size() < asked)
      warnings.push_back(concat("tokenizer.vocab_size: ", text, " fills only ",
                                grouped(tokenizer.vocab_size()), " of ", grouped(asked),
                                " pieces"));
  };
  if (vocabulary.joint) {
    add("the text", vocabulary.target);
  } else {
    add("the source text", vocabulary.source);
    add("the target text", vocabulary.target);
  }
  return warnings;
}

}  // namespace dragoman

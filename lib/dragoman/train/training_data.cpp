#include "dragoman/train/training_data.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/corpus/training_store.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/same_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace dragoman {

namespace {

std::string text_hash(const std::vector<LinePair>& pairs) {
  TextHash hash;
  for (const auto& pair : pairs) hash.update(pair);
  return hash.hex_digest();
}

nlohmann::json facts_of(const Vocabulary& vocabulary, const TextIdentity& text,
                        const CorpusReport& report) {
  const auto special = [](const SpecialIds& ids) {
    return nlohmann::json{{"pad", ids.pad}, {"unk", ids.unk}, {"bos", ids.bos}, {"eos", ids.eos}};
  };
  return {{text_sha256_key, text.sha256},
          {"train_pairs", report.kept},
          {file_pairs_key, text.pairs},
          {"source_tokenizer_sha256", sha256_hex(vocabulary.source.bytes())},
          {"target_tokenizer_sha256", sha256_hex(vocabulary.target.bytes())},
          {"joint", vocabulary.joint},
          {"source_vocab_size", vocabulary.source.vocab_size()},
          {"target_vocab_size", vocabulary.target.vocab_size()},
          {"source_special", special(vocabulary.source.special())},
          {"target_special", special(vocabulary.target.special())}};
}

/// Where each corpus ends in the store and how often an epoch contains it; also logs this.
std::vector<CorpusShare> weigh(const DataOptions& options, const std::vector<CorpusReport>& files) {
  std::vector<CorpusShare> shares;
  std::size_t end = 0;
  for (std::size_t i = 0; i < options.weights.size(); ++i) {
    const double weight = options.weights[i];
    end += static_cast<std::size_t>(files[i].kept);
    shares.push_back({.end = end, .weight = weight});
    if (weight * static_cast<double>(files[i].kept) < 1.0)
      log_warning(concat("data.weights: ", weight, " leaves less than one pair of ",
                         options.train_source[i], " in an epoch; 1 reads all pairs once"));
    log_info(concat("weight ", weight, ": ", options.train_source[i], ", ",
                    counted(files[i].kept, "pair"), ", about ",
                    decimal(weight * static_cast<double>(files[i].kept), 0), " per epoch"));
  }
  return shares;
}

/// The tag that all training files have; empty if they have none or several.
std::string common_tag(const std::vector<std::string>& tags) {
  const bool agree = !tags.empty() && std::ranges::count(tags, tags.front()) == std::ssize(tags);
  return agree ? tags.front() : std::string();
}

/// The languages of the validation text, as far as the training files agree in them; its own lines
/// may name that of the target.
Languages validation_languages(const DataOptions& files, const Tokenizer& source,
                               const std::string& first_line) {
  Languages languages{.source = common_tag(files.source_tag), .target = {}};
  if (source.own_tag(first_line).empty()) languages.target = common_tag(files.target_tag);
  const auto untagged = std::ranges::count(files.source_tag, std::string());
  if (languages.source.empty() && !files.source_tag.empty() && untagged == 0)
    log_warning(concat(files.valid_source,
                       ": data.source_tag names several source languages, and none is known for "
                       "the validation text, which is read without one"));
  return languages;
}

ValidationText read_validation(const DataOptions& files, const Vocabulary& of_training) {
  ValidationText text;
  if (files.valid_source.empty()) return text;
  const std::vector<std::string> source{files.valid_source};
  const std::vector<std::string> target{files.valid_target};
  const auto pairs = read_parallel(source, target);
  const auto place = corpus_place(source, target);
  // Of the filters only data.max_length applies: the loss, perplexity and accuracy are those of the
  // pairs within it, BLEU and chrF those of all.
  auto all_pairs = files;
  all_pairs.max_ratio = 0.0;
  all_pairs.drop_duplicates = false;
  const auto first_line = pairs.empty() ? std::string() : pairs.front().source;
  text.vocabulary =
      with_languages(of_training, validation_languages(files, of_training.source, first_line));
  const auto& vocabulary = *text.vocabulary;
  auto valid = encode_corpus(pairs, vocabulary, all_pairs, place);
  log_info(concat("validation text, ", place, ": ", valid.report.text()));
  TargetReminder reminder(vocabulary.source, files, files.valid_source, /*has_option=*/false);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    reminder.tell(static_cast<std::int64_t>(i) + 1, pairs[i].source);
  text.examples = std::move(valid.examples);
  text.sha256 = text_hash(pairs);
  for (const auto& pair : pairs) {
    text.source.push_back(pair.source);
    text.target.push_back(pair.target);
  }
  return text;
}

}  // namespace

std::optional<std::string> missing_target_tags(const DataOptions& data,
                                               const Vocabulary& vocabulary) {
  const auto languages = target_languages(vocabulary);
  if (!data.target_tag.empty() || languages.size() < 2) return std::nullopt;
  const auto first = LineReader(data.train_source.front(), LineUse::translation).next();
  if (!first || !vocabulary.source.own_tag(first->text).empty()) return std::nullopt;
  return concat(data.train_source.front(), ": names no language, and the model translates into ",
                languages.size(), " languages: give data.target_tag, such as [\"",
                languages.front(), "\"], or begin each line with its tag");
}

void expect_validation_text(const DataOptions& data) {
  namespace fs = std::filesystem;
  for (const auto& file : {data.valid_source, data.valid_target}) expect_regular(file);
  // That of a language model has no other side.
  if (data.valid_source != data.valid_target && fs::is_regular_file(data.valid_source) &&
      fs::is_regular_file(data.valid_target))
    return expect_parallel_text(std::vector{data.valid_source}, std::vector{data.valid_target});
  for (const auto& file : {data.valid_source, data.valid_target})
    if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
      throw DataError(concat(file, ": cannot be opened: ", system_error_text(errno)));
}

TrainingData prepare_data(const RunOptions& options, const Vocabulary& vocabulary,
                          const TextIdentity& text, const std::filesystem::path& folder) {
  const auto& files = options.data;
  auto valid = read_validation(files, vocabulary);  // first, as the training text may take an hour
  auto store = open_training_store(folder, files, vocabulary, text);
  log_info(concat("training text: ", store.report.text()));
  auto facts = facts_of(vocabulary, text, store.report);
  if (!valid.sha256.empty()) facts[valid_text_sha256_key] = valid.sha256;
  return {.vocabulary = vocabulary,
          .train = std::move(store.pairs),
          .shares = weigh(files, store.files),
          .valid = std::move(valid),
          .facts = std::move(facts)};
}

}  // namespace dragoman

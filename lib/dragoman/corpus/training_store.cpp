#include "dragoman/corpus/training_store.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/corpus/token_store_writer.h"
#include "dragoman/text/language_tags.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

std::string tokenizer_key(std::string_view side) { return concat("the ", side, " tokenizer"); }

/// Everything that determines the ids of a text, under the names used in the log.
nlohmann::json origin_of(const DataOptions& options, const Vocabulary& vocabulary,
                         const TextIdentity& text) {
  return {{"the text", text},
          {"the source tokenizer", sha256_hex(vocabulary.source.bytes())},
          {"the target tokenizer", sha256_hex(vocabulary.target.bytes())},
          {"data.max_length", options.max_length},
          {"data.max_ratio", options.max_ratio},
          {"data.drop_duplicates", options.drop_duplicates},
          {"data.source_tag", options.source_tag},
          {"data.target_tag", options.target_tag}};
}

/// The differences in human-readable form: "data.max_length (256, now 100), the text".
std::string difference(const nlohmann::json& before, const nlohmann::json& now) {
  std::vector<std::string> names;
  for (const auto& [key, value] : now.items()) {
    const auto old = before.value(key, nlohmann::json());
    if (old == value) continue;
    const bool is_option = key.starts_with("data.");
    names.push_back(is_option ? concat(key, " (", old, ", now ", value, ")") : key);
  }
  return joined(names);
}

TrainingStore with_reports(TokenStore store) {
  const std::vector<CorpusReport> files = store.facts().at("files");
  const auto report =
      std::accumulate(files.begin(), files.end(), CorpusReport{},
                      [](CorpusReport sum, const CorpusReport& file) { return sum += file; });
  return {.pairs = std::move(store), .files = files, .report = report};
}

/// A store, or why it cannot be used; neither if there is none.
struct FoundStore {
  std::optional<TrainingStore> store = {};
  std::string fault = {};
};

/// The store at `path`, if it was built from `origin`.
FoundStore open_if_same(const std::filesystem::path& path, const nlohmann::json& origin,
                        const VocabularySizes& sizes) {
  if (!std::filesystem::exists(path)) return {};
  try {
    TokenStore store(path, sizes);
    const auto changed = difference(store.facts().at("origin"), origin);
    if (changed.empty()) return {.store = with_reports(std::move(store))};
    return {.fault = concat(path.string(), ": built from different inputs: ", changed)};
  } catch (const Error& error) {
    return {.fault = error.what()};
  } catch (const nlohmann::json::exception& error) {
    return {.fault = concat(path.string(), ": has an unexpected description: ", error.what())};
  }
}

VocabularySizes sizes_of_sides(const Vocabulary& vocabulary) {
  return {vocabulary.source.vocab_size(), vocabulary.target.vocab_size()};
}

void make_store(const std::filesystem::path& path, const DataOptions& options,
                const Vocabulary& vocabulary, const TextIdentity& identity,
                const nlohmann::json& origin) {
  TokenStoreWriter writer(path,
                          std::max(vocabulary.source.vocab_size(), vocabulary.target.vocab_size()));
  PairEncoder encoder(vocabulary, options);
  ParallelText text(options.train_source, options.train_target);
  TextHash hash;
  Progress progress("encoding the training text", "pairs",
                    std::accumulate(identity.pairs.begin(), identity.pairs.end(), std::int64_t{0}));
  const auto blocks = [&] {
    auto block = text.next_block();
    for (const auto& pair : block) hash.update(pair);
    progress.show(text.pairs());
    return block;
  };
  std::vector<CorpusReport> files;
  while (text.next_file()) {
    encoder.set_vocabulary(with_languages(vocabulary, languages_of_file(options, files.size())));
    files.push_back(encoder.encode(blocks, [&](Example&& example) { writer.add(example); }));
  }
  const auto place = corpus_place(options.train_source, options.train_target);
  if (hash.hex_digest() != identity.sha256)
    throw DataError(concat(place, ": changed while it was read; start again when it is complete"));
  CorpusReport report;
  for (const auto& file : files) report += file;
  expect_kept(report, options, place);
  writer.commit({{"origin", origin}, {"files", files}});
  progress.finish();
}

}  // namespace

TrainingStore open_training_store(const std::filesystem::path& folder, const DataOptions& options,
                                  const Vocabulary& vocabulary, const TextIdentity& text) {
  const auto path = folder / token_store_file;
  const auto origin = origin_of(options, vocabulary, text);
  const auto sizes = sizes_of_sides(vocabulary);
  auto found = open_if_same(path, origin, sizes);
  if (found.store) return std::move(*found.store);
  if (!found.fault.empty()) log_info("rebuilding the token store: " + found.fault);
  make_store(path, options, vocabulary, text, origin);
  return with_reports(TokenStore(path, sizes));
}

bool holds_training_store(const std::filesystem::path& folder, const DataOptions& options,
                          const Vocabulary& vocabulary, const TextIdentity& text) {
  return open_if_same(folder / token_store_file, origin_of(options, vocabulary, text),
                      sizes_of_sides(vocabulary))
      .store.has_value();
}

std::string tokenizer_of(const TokenStore& pairs, std::string_view side) {
  const auto key = nlohmann::json::json_pointer("/origin/" + tokenizer_key(side));
  const auto& facts = pairs.facts();
  return facts.contains(key) && facts.at(key).is_string() ? facts.at(key).get<std::string>() : "";
}

}  // namespace dragoman

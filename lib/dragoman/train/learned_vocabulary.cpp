#include "dragoman/train/learned_vocabulary.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/version.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/train/training_data.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <system_error>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr const char* vocabulary_folder = "vocabulary";
constexpr const char* facts_file = "facts.json";  // written last

/// All that decides what is learned.
nlohmann::json origin_of(const RunOptions& options, const TextIdentity& text) {
  return {{"version", version},
          {"text", text.sha256},
          {"pairs", text.pairs},
          {"tokenizer", options.tokenizer},
          {"seed", options.seed},
          {"source_tag", options.data.source_tag},
          {"target_tag", options.data.target_tag}};
}

nlohmann::json checksums_of(const Vocabulary& vocabulary) {
  return {sha256_hex(vocabulary.source.bytes()), sha256_hex(vocabulary.target.bytes())};
}

/// None if there is none of this origin, or if it is damaged.
std::optional<Vocabulary> kept_vocabulary(const fs::path& folder, const nlohmann::json& origin) {
  if (!fs::exists(folder / facts_file)) return std::nullopt;
  try {
    const auto facts = nlohmann::json::parse(read_regular_file(folder / facts_file));
    if (facts.at("origin") != origin) return std::nullopt;
    auto vocabulary = load_vocabulary(folder);
    if (checksums_of(vocabulary) == facts.at("sha256")) return vocabulary;
  } catch (const std::exception& error) {
    log_debug(concat(folder.string(), ": not used: ", error.what()));
  }
  return std::nullopt;
}

void keep_vocabulary(const Vocabulary& vocabulary, const fs::path& folder,
                     const nlohmann::json& origin) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto write = [&](const char* file, const Tokenizer& tokenizer) {
    write_file_atomically(folder / file, tokenizer.bytes());
  };
  write(vocabulary.joint ? joint_file : source_file, vocabulary.source);
  if (!vocabulary.joint) write(target_file, vocabulary.target);
  const nlohmann::json facts{{"origin", origin}, {"sha256", checksums_of(vocabulary)}};
  write_file_atomically(folder / facts_file, facts.dump(1) + '\n');
}

}  // namespace

Vocabulary learned_vocabulary(const RunOptions& options, const TextIdentity& text,
                              const fs::path& data_dir) {
  const auto folder = data_dir / vocabulary_folder;
  const auto origin = origin_of(options, text);
  if (auto kept = kept_vocabulary(folder, origin)) {
    log_info(concat("using the vocabulary learned earlier from this text (", folder.string(), ")"));
    return *std::move(kept);
  }
  auto vocabulary = learn_run_vocabulary(options);
  try {
    keep_vocabulary(vocabulary, folder, origin);
  } catch (const std::exception& error) {
    log_warning(concat("the learned vocabulary could not be saved for reuse: ", error.what()));
  }
  return vocabulary;
}

bool holds_learned_vocabulary(const fs::path& data_dir) {
  std::error_code ignored;
  return fs::exists(data_dir / vocabulary_folder / facts_file, ignored);
}

}  // namespace dragoman

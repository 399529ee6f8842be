#include "dragoman/train/rank_data.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/storage/leftovers.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/train/run_vocabulary.h"
#include "dragoman/train/same_run.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// \throws DataError if the checkpoint was trained on other text
void expect_identity_of(const Checkpoint& checkpoint, const TextIdentity& text,
                        const TrainRequest& request) {
  const auto identity = identity_of_run(checkpoint);
  const auto& data = request.options.data;
  expect_same_text(identity, text, data, request.run_dir);
  // These belong to the files, whose sizes are not part of the checksum.
  if (!data.weights.empty() || !data.source_tag.empty() || !data.target_tag.empty())
    expect_same_files(identity, text.pairs, request.run_dir);
}

/// Rank 0's vocabulary on every rank. \param own of rank 0
Vocabulary share_vocabulary(Communicator& group, const std::optional<Vocabulary>& own) {
  const bool joint = broadcast_text(group, own && own->joint ? "joint" : "") == "joint";
  const auto share = [&](const Tokenizer* tokenizer) {
    return Tokenizer::from_bytes(
        broadcast_text(group, tokenizer != nullptr ? tokenizer->bytes() : ""),
        "the tokenizer of rank 0");
  };
  const auto source = share(own ? &own->source : nullptr);
  if (joint) return {.source = source, .target = source, .joint = true};
  return {.source = source, .target = share(own ? &own->target : nullptr), .joint = false};
}

/// The folder of the text as ids. Ranks with a disk in common and training runs with one
/// --data-cache share it: each waits until no other prepares it, and then mostly finds what it
/// needs.
class DataFolder {
 public:
  explicit DataFolder(const TrainRequest& request)
      : path_(data_folder_of(request)), options_(request.options) {
    // A shared folder that is only read needs no lock.
    const bool is_read_only =
        request.data_dir && fs::exists(path_) && ::access(path_.c_str(), W_OK) != 0;
    if (!is_read_only) lock_.emplace(path_, IfLocked::wait);
    // Without a lock, they may be files that another rank writes now.
    if (lock_ && lock_->held())
      for (const char* name : {text_record, token_store_file}) remove_leftovers_of(path_ / name);
  }

  TextIdentity identify() const {
    return identify_text(options_.data.train_source, options_.data.train_target,
                         path_ / text_record);
  }

  Vocabulary learned(const TextIdentity& text) const {
    return learned_vocabulary(options_, text, path_);
  }

  TrainingData prepare(const Vocabulary& vocabulary, const TextIdentity& text) const try {
    return prepare_data(options_, vocabulary, text, path_);
  } catch (const SystemError&) {  // a full disk
    throw;
  } catch (const DataError&) {
    // The text may differ from its record though no file has changed: then, reading it again helps.
    std::error_code ignored;
    fs::remove(path_ / text_record, ignored);
    throw;
  }

 private:
  fs::path path_;
  std::optional<RunLock> lock_;
  const RunOptions& options_;
};

/// The keys in which the first rank that differs from rank 0 does so, on every rank.
std::string differing_keys(Communicator& group, const nlohmann::json& own) {
  const auto of_first = nlohmann::json::parse(broadcast_text(group, own.dump()));
  std::vector<std::string> keys;
  for (const auto& change : nlohmann::json::diff(of_first, own)) {
    auto key = change.at("path").get<std::string>();
    if (!key.empty()) key.erase(0, 1);
    std::ranges::replace(key, '/', '.');
    keys.push_back(std::move(key));
  }
  const auto of_ranks = group.gather(joined(keys));
  const auto found = std::ranges::find_if(of_ranks, [](const auto& some) { return !some.empty(); });
  return found == of_ranks.end() ? std::string() : *found;
}

/// \throws DataError naming the ranks whose configuration or text differs from that of rank 0, and
///     in what
void expect_same_of_ranks(Communicator& group, const char* what, const nlohmann::json& own) {
  const auto others = differing_ranks(group, sha256_hex(own.dump()));
  if (!others.empty())
    throw DataError(concat("train: the ", what, " of rank ", others,
                           " differs from that of rank 0 in ", differing_keys(group, own),
                           "; give all ranks the same, in a folder that every host sees"));
}

}  // namespace

fs::path data_folder_of(const TrainRequest& request) {
  return request.data_dir.value_or(request.run_dir / data_folder);
}

void expect_own_data_folder(const TrainRequest& request) {
  // Each folder has a lock of its own, and that of the run is held while the other is waited for.
  if (!request.data_dir || request.run_dir.empty()) return;
  // With a slash at the end, since the folder need not exist.
  const auto place_of = [](const fs::path& folder) { return fs::weakly_canonical(folder / ""); };
  if (place_of(*request.data_dir) == place_of(request.run_dir))
    throw OptionsError(concat("--data-cache: ", request.data_dir->string(),
                              ": is the run's own folder; name another, or leave it out for ",
                              (request.run_dir / data_folder).string()));
}

void expect_text_of(const Checkpoint& checkpoint, const TrainRequest& request) {
  const auto& data = request.options.data;
  const auto text = read_text_identity(data.train_source, data.train_target,
                                       data_folder_of(request) / text_record);
  expect_identity_of(checkpoint, text, request);
}

TrainingData lead_data(const TrainRequest& request, const std::optional<Checkpoint>& checkpoint,
                       const std::optional<Vocabulary>& known, Communicator& group) {
  const DataFolder folder(request);
  const auto text = folder.identify();
  if (checkpoint) expect_identity_of(*checkpoint, text, request);
  const auto vocabulary = known ? *known : folder.learned(text);
  if (group.size() > 1) share_vocabulary(group, vocabulary);
  return folder.prepare(vocabulary, text);
}

TrainingData follow_data(const TrainRequest& request, Communicator& group) {
  const auto vocabulary = share_vocabulary(group, std::nullopt);
  const DataFolder folder(request);
  return folder.prepare(vocabulary, folder.identify());
}

void expect_same_everywhere(Communicator& group, RunOptions options, const TrainingData& data) {
  options.train.device = {};
  options.train.workers = options.train.threads = 0;
  options.data.train_source = options.data.train_target = {};  // the same text may have other paths
  options.data.valid_source = options.data.valid_target = {};
  expect_same_of_ranks(group, "configuration", options);
  expect_same_of_ranks(group, "text", data.facts);
}

}  // namespace dragoman

#include "dragoman/train/start.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/run_lock.h"
#include "dragoman/translate/run.h"

namespace dragoman {

namespace {

void expect_same_run(const RunOptions& now, const Checkpoint& checkpoint,
                     const std::filesystem::path& run_dir) {
  const auto file = checkpoint.path / "config.json";
  const auto before = parse_run_options(read_file(file), file.string());
  const auto keys = changed_fixed_keys(before, now);
  if (keys.empty()) return;
  std::string names;
  for (const auto& key : keys) names += (names.empty() ? "" : ", ") + key;
  throw OptionsError(concat(run_dir.string(), ": holds a run with another ", names,
                            "; go on with its own configuration (leave -c and --set out), or choose "
                            "another folder"));
}

void expect_same_text(const TextIdentity& text, const Checkpoint& checkpoint,
                      const std::filesystem::path& run_dir) {
  const auto place = checkpoint.path / "state.json";
  const auto state = nlohmann::json::parse(read_file(place), nullptr, false);
  const auto before = state.value("/identity/train_text_sha256"_json_pointer, std::string());
  if (before != text.sha256)
    throw DataError(concat(run_dir.string(), ": the training text is not the one this run began with; "
                           "give the same text, or choose another folder"));
}

std::optional<Vocabulary> given_vocabulary(const TrainRequest& request) {
  if (!request.source_tokenizer) return std::nullopt;
  const auto source = Tokenizer::load(*request.source_tokenizer);
  if (!request.target_tokenizer) return Vocabulary{.source = source, .target = source, .joint = true};
  return Vocabulary{.source = source, .target = Tokenizer::load(*request.target_tokenizer), .joint = false};
}

/// The text as it was at `checkpoint`, if there is one; the folder is this process's for so long.
TrainingData load_data(const TrainRequest& request, const std::optional<Checkpoint>& checkpoint) {
  const auto& files = request.options.data;
  const auto folder = request.data_dir.value_or(request.run_dir / "data");
  const RunLock lock(folder);
  const auto text = identify_text(files.train_source, files.train_target, folder / "text.json");
  if (checkpoint) expect_same_text(text, *checkpoint, request.run_dir);
  const auto vocabulary =
      checkpoint ? load_vocabulary(checkpoint->path) : given_vocabulary(request);
  return prepare_data(request.options, vocabulary, text, folder);
}

}  // namespace

TrainingEnd train(const TrainRequest& request) {
  request.options.validate();
  const bool folder_was_there = std::filesystem::exists(request.run_dir);
  const auto start = [&] {
    const RunLock lock(request.run_dir);
    CheckpointStore store(request.run_dir);
    store.remove_leftovers();
    const auto checkpoint = store.newest_good(Damaged::set_aside);
    if (checkpoint) expect_same_run(request.options, *checkpoint, request.run_dir);
    const auto data = load_data(request, checkpoint);
    write_file_atomically(request.run_dir / "config.json", to_text(request.options));
    return Trainer(request.options, data, request.run_dir, checkpoint).run();
  };
  try {
    return start();
  } catch (...) {
    // What was refused before anything was trained leaves no folder behind.
    std::error_code ignored;
    if (!folder_was_there && !std::filesystem::exists(request.run_dir / "checkpoints", ignored))
      std::filesystem::remove_all(request.run_dir, ignored);
    throw;
  }
}

}  // namespace dragoman

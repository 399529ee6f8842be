#pragma once

#include "dragoman/run/checkpoint_name.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_place.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// One complete checkpoint of a run.
struct Checkpoint {
  std::int64_t step = 0;       ///< updates done
  std::filesystem::path path;  ///< RUN_DIR/checkpoints/step-00001200

  /// "step-00001200"
  std::string name() const { return path.filename().string(); }
};

/// What happens to damaged checkpoints that a search finds; each is logged by name and reason.
enum class Damaged {
  skip,       ///< left as they are, also those that cannot be read: for readers
  set_aside,  ///< renamed to step-N.bad: for the owner of the lock
};

/// The checkpoints of a run: RUN_DIR/checkpoints/step-N, RUN_DIR/latest, RUN_DIR/best-METRIC.
///
/// A folder named step-N is complete by definition, since only a rename from step-N.tmp-PID makes
/// that name, after everything in it is on the disk. Writing calls are for the holder of the
/// run's RunLock; reading calls need no lock.
class CheckpointStore {
 public:
  /// \param keep_last newest checkpoints that `retain` keeps, at least 2
  explicit CheckpointStore(std::filesystem::path run_dir, std::int64_t keep_last = 5);

  /// Makes the checkpoint of `step`: `fill` writes its files, then it appears atomically, in
  /// place of an older one of that step, and `latest` names it. On failure nothing of it remains.
  /// \throws DataError if space is short (1.1 times the newest one's size is asked for, after
  ///     `retain` where that helps), anything cannot be written, or the run folder was moved or
  ///     removed since this object was made; and what `fill` throws.
  Checkpoint save(std::int64_t step, const std::function<void(CheckpointWriter&)>& fill);

  /// All complete checkpoints, newest first, without reading their contents.
  std::vector<Checkpoint> list() const;

  /// The newest checkpoint that passes `verify_checkpoint`; no value if the run has none at all. If
  /// it is not the newest of all, a warning names both.
  /// Damage must be proven: missing files, other sizes or checksums.
  /// \throws FormatError if there are checkpoints (set aside ones too) but none is good;
  ///     NewerVersion or SystemError if one cannot be read now and, with `Damaged::skip`, none is
  ///     good: nothing is then renamed
  std::optional<Checkpoint> newest_good(Damaged damaged,
                                        Verification verification = Verification::checksums) const;

  /// The complete checkpoint of that name ("step-00001200").
  std::optional<Checkpoint> find(std::string_view name) const;

  /// The checkpoint that a user names: "latest" (the newest good one), "best-bleu" or
  /// "step-00001200". \throws DataError if there is none, naming those there are.
  Checkpoint choose(const std::string& which) const;

  /// What RUN_DIR/best-METRIC names, if that still exists. A hint: nothing is verified.
  std::optional<Checkpoint> best(std::string_view metric) const;

  /// Makes the checkpoint of `step` the best by `metric` ("bleu"). It must exist.
  void mark_best(std::string_view metric, std::int64_t step);

  /// Removes all but the newest `keep_last` checkpoints and those some best-METRIC names.
  void retain();

  /// Removes what writers that died left behind: unfinished and half-removed checkpoints, and those
  /// of the run's own files. Another process may be writing a translation into the run folder.
  void remove_leftovers();

 private:
  std::filesystem::path folder() const { return run_dir_ / checkpoints_folder; }
  std::optional<Checkpoint> named_in(const std::string& hint) const;
  void expect_none(std::string reasons, std::size_t count) const;
  void make_folder();
  void expect_space();
  void publish(const std::filesystem::path& temporary, const std::filesystem::path& place);
  void remove(const std::filesystem::path& checkpoint) const;

  std::filesystem::path run_dir_;
  RunPlace place_;
  std::int64_t keep_last_;
};

}  // namespace dragoman

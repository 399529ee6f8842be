#include "dragoman/run/checkpoint_store.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/folder_access.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/nearby_runs.h"
#include "dragoman/storage/leftovers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// Exchanges the names of two folders atomically. False if the file system cannot do that.
bool exchange(const fs::path& a, const fs::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path run_dir, std::int64_t keep_last)
    : run_dir_(std::move(run_dir)),
      place_(run_dir_),
      keep_last_(std::max<std::int64_t>(keep_last, 2)) {}

std::vector<Checkpoint> CheckpointStore::list() const {
  std::vector<Checkpoint> found;
  for (const auto& path : entries_of(folder()))
    if (const auto step = step_of_checkpoint(path.filename().string()))
      found.push_back({*step, path});
  std::ranges::sort(found, std::ranges::greater{}, &Checkpoint::step);
  return found;
}

std::optional<Checkpoint> CheckpointStore::find(std::string_view name) const {
  const auto step = step_of_checkpoint(name);
  const auto path = folder() / name;
  if (!step || !fs::is_directory(path)) return std::nullopt;
  return Checkpoint{*step, path};
}

std::optional<Checkpoint> CheckpointStore::named_in(const std::string& hint) const {
  std::error_code unreadable;
  if (!fs::is_regular_file(run_dir_ / hint, unreadable)) return std::nullopt;
  std::string name;
  std::istringstream(read_small_file(run_dir_ / hint)) >> name;
  return find(name);
}

std::optional<Checkpoint> CheckpointStore::best(std::string_view metric) const {
  return named_in(concat("best-", metric));
}

Checkpoint CheckpointStore::choose(const std::string& which) const {
  const auto found = which == "latest"     ? newest_good(Damaged::skip, Verification::model)
                     : is_best_hint(which) ? named_in(which)
                                           : find(with_all_digits(which));
  if (found && which == "latest" && found->step == 0 && list().front().step > 0)
    throw FormatError(
        concat(folder().string(), ": only the untrained step 0 is intact; restore another"));
  if (found) return *found;
  constexpr auto remedy = "; give the folder that 'dragoman train' wrote, or a checkpoint of it";
  const auto fact = fs::exists(run_dir_) ? ": is not a folder" : ": there is no such folder";
  if (!fs::is_directory(run_dir_)) throw DataError(run_dir_.string() + fact + remedy);
  if (fs::exists(run_dir_ / manifest_file))
    throw DataError(concat(run_dir_.string(), ": lacks its ", model_file, "; copy it again"));
  const bool is_run = fs::exists(run_dir_ / lock_name) && !fs::exists(run_dir_ / text_record);
  if (is_run && list().empty())
    throw DataError(concat(run_dir_.string(), ": holds no checkpoint yet: its training has not ",
                           "begun, or ended before it did; wait, or repeat the command"));
  if (list().empty()) expect_no_runs_nearby(run_dir_);
  std::string message = concat(run_dir_.string(), ": no checkpoint ",
                               which == "latest" ? "" : concat('\'', which, "' "), "here");
  std::vector<std::string> names;
  for (const auto& one : list()) names.push_back(one.name());
  const auto checkpoints = std::ssize(names);
  for (const auto& path : entries_of(run_dir_))
    if (auto name = path.filename().string(); is_best_hint(name) && named_in(name))
      names.push_back(std::move(name));
  std::sort(names.begin() + checkpoints, names.end());
  for (const auto& name : names)
    message += concat(&name == &names.front() ? "; there are " : ", ", name);
  if (checkpoints == 0) message += remedy;
  throw DataError(message);
}

void CheckpointStore::mark_best(std::string_view metric, std::int64_t step) {
  if (!find(checkpoint_name(step)))
    throw ContractError(concat("mark_best: there is no checkpoint of step ", step));
  write_file_atomically(run_dir_ / concat("best-", metric), checkpoint_name(step) + "\n");
}

void CheckpointStore::expect_space() {
  const auto checkpoints = list();
  if (checkpoints.empty()) return;
  std::int64_t size = 0;
  try {
    size = read_manifest(checkpoints.front().path).total_size();
  } catch (const Error&) {
    return;  // a damaged neighbour says nothing about the size
  }
  const auto needed = static_cast<std::int64_t>(1.1 * static_cast<double>(size));
  auto space = free_disk(folder());
  if (space && *space < needed) {
    retain();
    space = free_disk(folder());
  }
  if (space && *space < needed)
    throw DataError(concat(folder().string(), ": ", bytes_text(static_cast<double>(*space)),
                           " are free, a checkpoint needs ",
                           bytes_text(static_cast<double>(needed)),
                           "; make room on this disk, or lower train.keep_checkpoints"));
}

/// Never recreates a run folder that was removed.
void CheckpointStore::make_folder() {
  place_.expect_unchanged();
  on_disk(folder(), "cannot be created", [&] {
    if (!place_.was_there()) fs::create_directories(run_dir_);
    fs::create_directory(folder());
  });
  if (!place_.was_there()) place_ = RunPlace(run_dir_);
}

Checkpoint CheckpointStore::save(std::int64_t step,
                                 const std::function<void(CheckpointWriter&)>& fill) {
  Checkpoint checkpoint{step, folder() / checkpoint_name(step)};
  const fs::path temporary = checkpoint.path.string() + concat(".tmp-", ::getpid());
  make_folder();
  expect_space();
  try {
    on_disk(temporary, "cannot be created", [&] {
      fs::remove_all(temporary);
      fs::create_directory(temporary);
    });
    CheckpointWriter writer(temporary, step);
    fill(writer);
    writer.finish();
    publish(temporary, checkpoint.path);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
  write_file_atomically(run_dir_ / "latest", checkpoint.name() + "\n");
  return checkpoint;
}

void CheckpointStore::publish(const fs::path& temporary, const fs::path& place) {
  const bool replaces = fs::exists(place);
  if (replaces && exchange(temporary, place)) {
    sync_directory(folder());
    std::error_code ignored;
    fs::remove_all(temporary, ignored);  // now the older checkpoint; if it stays, a leftover
    return;
  }
  if (replaces) remove(place);
  on_disk(place, "cannot be created", [&] { fs::rename(temporary, place); });
  sync_directory(folder());
}

void CheckpointStore::remove(const fs::path& checkpoint) const {
  // Half of a removed checkpoint must not look like one.
  const fs::path doomed = checkpoint.string() + ".tmp-delete";
  on_disk(checkpoint, "cannot be removed", [&] {
    fs::remove_all(doomed);
    fs::rename(checkpoint, doomed);
  });
  remove_leftover(doomed);
}

void CheckpointStore::retain() {
  std::set<std::string> kept;
  for (const auto& path : entries_of(run_dir_))
    if (is_best_hint(path.filename().string()))
      if (const auto best = named_in(path.filename().string())) kept.insert(best->name());
  const auto checkpoints = list();
  for (auto i = static_cast<std::size_t>(keep_last_); i < checkpoints.size(); ++i)
    if (!kept.contains(checkpoints[i].name())) remove(checkpoints[i].path);
}

void CheckpointStore::remove_leftovers() {
  remove_leftovers_in(folder());
  for (const auto& checkpoint : list()) try {
      remove_leftovers_in(checkpoint.path);
    } catch (const DataError& error) {  // of an old one, which nobody may need
      log_warning(error.what());
    }
  remove_leftovers_in(run_dir_, [](const std::string& name) {
    return name == config_file || name == train_log_file || name == "latest" || is_best_hint(name);
  });
}

}  // namespace dragoman

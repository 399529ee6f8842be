#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/folder_access.h"

#include <algorithm>
#include <exception>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view bad_suffix = ".bad";

/// A checkpoint, and what is damaged in it.
struct DamagedCheckpoint {
  Checkpoint checkpoint;
  std::string damage;

  /// Without the folder, which differs.
  std::string damage_inside() const {
    const auto folder = concat(checkpoint.path.string(), '/');
    return damage.starts_with(folder) ? damage.substr(folder.size()) : damage;
  }
};

/// "; step-00000200, step-00000100: what is damaged" for neighbours that are damaged alike.
std::string reasons_of(const std::vector<DamagedCheckpoint>& bad) {
  std::string reasons;
  for (auto at = bad.begin(); at != bad.end();) {
    const auto damage = at->damage_inside();
    for (const char* separator = "; "; at != bad.end() && at->damage_inside() == damage; ++at) {
      reasons += separator + at->checkpoint.name();
      separator = ", ";
    }
    reasons += concat(": ", damage);
  }
  return reasons;
}

void set_aside(const Checkpoint& checkpoint) {
  const fs::path aside = checkpoint.path.string() + std::string(bad_suffix);
  on_disk(checkpoint.path, "cannot be set aside", [&] {
    fs::remove_all(aside);  // of an earlier damage to the same step
    fs::rename(checkpoint.path, aside);
  });
  log_warning(concat("damaged checkpoint renamed to ", aside.string()));
}

}  // namespace

std::optional<Checkpoint> CheckpointStore::newest_good(Damaged damaged,
                                                       Verification verification) const {
  const auto checkpoints = list();
  std::vector<std::string> warnings;
  const auto warn = [&warnings] {
    for (const auto& warning : warnings) log_warning(warning);
  };
  std::vector<DamagedCheckpoint> bad;
  std::exception_ptr unread;  // the newest that says nothing of damage
  const auto good = std::ranges::find_if(checkpoints, [&](const Checkpoint& checkpoint) {
    try {
      const auto damage = damage_of(checkpoint.path, verification);
      if (!damage) return true;
      bad.push_back({checkpoint, *damage});
      warnings.push_back(concat("checkpoint ", checkpoint.name(), " is damaged: ", *damage));
    } catch (const Error& error) {
      if (damaged == Damaged::set_aside) {
        warn();
        throw;
      }
      if (!unread) unread = std::current_exception();
      warnings.push_back(
          concat("checkpoint ", checkpoint.name(), " cannot be used: ", error.what()));
    }
    return false;
  });
  if (good != checkpoints.end()) {
    warn();
    if (damaged == Damaged::set_aside)
      for (const auto& one : bad) set_aside(one.checkpoint);
    if (good != checkpoints.begin())
      log_warning(concat(run_dir_.string(), ": using ", good->name(), " instead of the newest, ",
                         checkpoints.front().name(), ", which cannot be used"));
    return *good;
  }
  // The error says why one cannot be read: of the others, if they cannot either, it is the same.
  if (unread && !bad.empty())
    warn();
  else if (unread && checkpoints.size() > 1)
    log_warning(concat(folder().string(), ": holds ", checkpoints.size(),
                       " checkpoints, none of which can be used"));
  if (unread) std::rethrow_exception(unread);
  expect_none(reasons_of(bad), bad.size());
  return std::nullopt;
}

/// \param reasons why the checkpoints, `count` of them, are damaged
void CheckpointStore::expect_none(std::string reasons, std::size_t count) const {
  for (const auto& path : entries_of(folder()))
    if (path.extension() == bad_suffix && reasons.find(path.stem().string()) == std::string::npos) {
      reasons += concat("; ", path.filename().string(), ": was set aside before");
      ++count;
    }
  if (!reasons.empty())
    throw FormatError(concat(folder().string(), ": holds ",
                             counted(static_cast<std::int64_t>(count), "checkpoint"),
                             ", but no intact one; restore one, ",
                             "or remove the folder to start from scratch", reasons));
}

}  // namespace dragoman

#pragma once

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log_sink.h"
#include "support/catch.h"
#include "support/mutations.h"
#include "support/temporary_directory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Models whose files are damaged at random: DRAGOMAN_MUTATIONS tells how often.
namespace hostile_model {

using namespace dragoman;
namespace fs = std::filesystem;

/// While it lives, this process may take only so much more memory: who believes a damaged length
/// fails.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    auto limited = before_;
    limited.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
    if (pages > 0) ::setrlimit(RLIMIT_AS, &limited);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// No log for its lifetime.
struct Quiet {
  Quiet() {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  ~Quiet() { set_log_sink({}); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

inline int mutation_count(int usual) {
  const char* chosen = std::getenv("DRAGOMAN_MUTATIONS");
  return chosen != nullptr ? std::atoi(chosen) : usual;
}

/// A copy of a model's folder, of which one file is damaged again and again.
struct HostileFolder {
  test::TemporaryDirectory place;
  fs::path model = place / "model";

  explicit HostileFolder(const fs::path& original) {
    fs::create_directories(model);
    for (const auto& entry : fs::directory_iterator(original))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with("golden"))
        write_file_atomically(model / entry.path().filename(), read_file(entry.path()));
  }

  void import_model(const std::function<void(const fs::path&, const fs::path&)>& read) const {
    const auto run = place / "run";
    fs::remove_all(run);
    read(model, run);
  }
};

/// What reading a file may take: its numbers become wider ones, and are there as the model and as
/// what is written of it.
inline std::uint64_t memory_for(std::uint64_t file_size) {
  constexpr std::uint64_t at_most = std::uint64_t{8} << 20, times = 32;
  return at_most + times * file_size;
}

/// Reads many damaged forms of a file: each is read or refused by an error of ours, within bounds.
inline void survive(const fs::path& file,
                    std::vector<std::pair<std::size_t, std::size_t>> interesting, int usual,
                    const std::function<void()>& read) {
  const auto original = read_file(file);
  read();
  test::Mutations mutations(original, std::move(interesting), 20);
  const Quiet quiet;
  const MemoryLimit limit(memory_for(original.size()));
  int refused = 0;
  const auto count = mutation_count(usual);
  for (int i = 0; i < count; ++i) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << mutations.next();
    std::string fault;
    try {
      read();
    } catch (const InternalError& error) {
      fault = concat("a bug: ", error.what());
    } catch (const Error&) {
      ++refused;
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (!fault.empty()) FAIL_CHECK("mutation " << i << " of " << file << ": " << fault);
  }
  CHECK(refused > 0);
  write_file_atomically(file, original);
}

/// The part of an archive between the first occurrences of two texts.
inline std::pair<std::size_t, std::size_t> part(const fs::path& file, const std::string& begin,
                                                const std::string& end) {
  const auto bytes = read_file(file);
  const auto from = bytes.find(begin);
  REQUIRE(from != std::string::npos);
  return {from, std::min(bytes.find(end, from + begin.size()), bytes.size())};
}

}  // namespace hostile_model

#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// What LibTorch says of itself and of the machine.
struct TorchFacts {
  std::string version;
  std::vector<std::string> devices;
  bool mkl_fast_path = false;
  std::string mpi, nccl;  ///< nccl: empty = none
};

/// What --version prints: a line for each of Dragoman, LibTorch and SentencePiece, then one for
/// each device seen.
/// \param torch none: this program has not loaded LibTorch
std::string version_text(const std::optional<TorchFacts>& torch);

/// "0.1.0 (commit 0a1b2c3d4)"; without the commit where it is not known.
std::string exact_version();

/// Of what program and where figures are: {"version", "commit" (if known), "processor", "cores",
/// "kernels"}.
nlohmann::json measured_on();

}  // namespace dragoman::app

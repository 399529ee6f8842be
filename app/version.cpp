#include "version.h"

#include "commit.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/simd.h"
#include "dragoman/core/version.h"
#include "dragoman/kernels/packed_matrix.h"
#include "dragoman/translate/torch_library.h"
#include "memory.h"

#include <fstream>

namespace dragoman::app {

namespace {

/// The processor's name as the kernel gives it; empty if it gives none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return {};
}

/// " (commit 0a1b2c3d4)"
std::string commit() {
  const std::string_view name = DRAGOMAN_COMMIT;
  return name.empty() ? std::string() : concat(" (commit ", name, ')');
}

/// What the products of translation use here, by the type of the weights.
std::string kernels() {
  return concat("float32 ", packed_instructions(WeightType::float32), ", bf16 ",
                packed_instructions(WeightType::bf16), ", int8 ",
                packed_instructions(WeightType::int8), "; other kernels ", simd_level_name());
}

}  // namespace

std::string version_text(const std::optional<TorchFacts>& torch) {
  std::string text = concat("dragoman ", exact_version(), "\nLibTorch ",
                            torch ? torch->version : "not loaded: " + torch_library_fault(),
                            "\nSentencePiece ", DRAGOMAN_SENTENCEPIECE_VERSION);
  const std::string processor = processor_name();
  if (!processor.empty()) text += "\nprocessor: " + processor;
  if (torch)
    for (const auto& device : torch->devices) text += '\n' + device;
  text += "\nkernels: " + kernels();
  if (torch && torch->mkl_fast_path) text += "\nMKL: fast path on every processor";
  text += "\nallocator: " + allocator_description();
  if (!torch) return text;
  text += "\nMPI: " + torch->mpi;
  return torch->nccl.empty() ? text : text + "\nNCCL: " + torch->nccl;
}

std::string exact_version() { return version + commit(); }

nlohmann::json measured_on() {
  nlohmann::json facts = {{"version", version},
                          {"processor", processor_name()},
                          {"cores", available_cores()},
                          {"kernels", kernels()}};
  const std::string_view name = DRAGOMAN_COMMIT;
  if (!name.empty()) facts["commit"] = name;
  return facts;
}

}  // namespace dragoman::app

#include "dragoman/kernels/packed_kernel.h"

#include "dragoman/core/error.h"

#include <cstdlib>
#include <string>

namespace dragoman {

namespace {

enum class CpuLevel { plain, avx2, avx512 };

CpuLevel highest_level() {
  const char* const text = std::getenv("DRAGOMAN_CPU");
  const std::string name = text == nullptr ? "" : text;
  if (name.empty() || name == "avx512") return CpuLevel::avx512;
  if (name == "avx2") return CpuLevel::avx2;
  if (name == "plain") return CpuLevel::plain;
  throw OptionsError(
      concat("DRAGOMAN_CPU: \"", name, "\" is none of avx512, avx2, plain; unset it"));
}

PackedLoops avx512_loops(WeightType type) {
  switch (type) {
    case WeightType::float32: return {"AVX-512", avx512_float32_kernel()};
    case WeightType::bf16: return {"AVX-512 bf16", avx512_bf16_kernel()};
    case WeightType::int8: return {"AVX-512 VNNI", avx512_int8_kernel()};
  }
  return {};
}

}  // namespace

PackedLoops plain_loops(WeightType type) {
  constexpr const char* name = "plain loops";
  switch (type) {
    case WeightType::float32: return {name, multiply_float32};
    case WeightType::bf16: return {name, multiply_bf16};
    case WeightType::int8: return {name, multiply_int8};
  }
  return {};
}

std::vector<PackedLoops> packed_loops(WeightType type) {
  const auto highest = highest_level();
  std::vector<PackedLoops> loops;
  const auto add = [&](CpuLevel level, const PackedLoops& candidate) {
    if (level <= highest && candidate.kernel != nullptr) loops.push_back(candidate);
  };
  add(CpuLevel::avx512, avx512_loops(type));
  add(CpuLevel::avx2, {"AVX2", avx2_kernel(type)});
  add(CpuLevel::plain, plain_loops(type));
  return loops;
}

}  // namespace dragoman

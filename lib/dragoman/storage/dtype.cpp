#include "dragoman/storage/dtype.h"

#include <algorithm>
#include <array>

namespace dragoman {

namespace {

struct Facts {
  DType dtype;
  std::string_view name;
  std::int64_t size;
};

// In the enumeration's order.
constexpr std::array<Facts, 16> table = {{{DType::boolean, "BOOL", 1},
                                          {DType::u8, "U8", 1},
                                          {DType::i8, "I8", 1},
                                          {DType::f8_e4m3, "F8_E4M3", 1},
                                          {DType::f8_e5m2, "F8_E5M2", 1},
                                          {DType::u16, "U16", 2},
                                          {DType::i16, "I16", 2},
                                          {DType::f16, "F16", 2},
                                          {DType::bf16, "BF16", 2},
                                          {DType::u32, "U32", 4},
                                          {DType::i32, "I32", 4},
                                          {DType::f32, "F32", 4},
                                          {DType::u64, "U64", 8},
                                          {DType::i64, "I64", 8},
                                          {DType::f64, "F64", 8},
                                          {DType::c64, "C64", 8}}};

const Facts& facts(DType dtype) { return table[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::int64_t size_of(DType dtype) { return facts(dtype).size; }

std::string_view name_of(DType dtype) { return facts(dtype).name; }

std::optional<DType> dtype_named(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Facts::name);
  return found == table.end() ? std::nullopt : std::optional(found->dtype);
}

std::string known_dtypes() {
  std::string names;
  for (const auto& type : table) {
    if (!names.empty()) names += ", ";
    names += type.name;
  }
  return names;
}

}  // namespace dragoman

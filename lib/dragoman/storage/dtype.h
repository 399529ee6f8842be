#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

/// Element types of the safetensors format, without those shorter than a byte.
enum class DType {
  boolean,
  u8,
  i8,
  f8_e4m3,
  f8_e5m2,
  u16,
  i16,
  f16,
  bf16,
  u32,
  i32,
  f32,
  u64,
  i64,
  f64,
  c64
};

/// Bytes of one element.
std::int64_t size_of(DType dtype);

/// The format's name of a type ("F32"), and its inverse; no value for an unknown name.
std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);

/// All names, for messages: "BOOL, U8, I8, ...".
std::string known_dtypes();

}  // namespace dragoman

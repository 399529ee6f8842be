#include "dragoman/storage/npz_writer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/storage/zip_file.h"

#include <concepts>
#include <limits>

namespace dragoman {

namespace {

template <std::unsigned_integral... T>
void put_numbers(std::string& out, T... values) {
  ((out += to_little_endian(values)), ...);
}

/// What stands before an array's numbers: its type and shape, filled up to a multiple of 64 bytes.
std::string npy_header(const NpzArray& array) {
  std::string shape;
  for (const auto size : array.shape) shape += concat(size, array.shape.size() == 1 ? "," : ", ");
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  auto text =
      concat("{'descr': '", array.type, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr std::size_t fixed = 10;  // magic bytes, version, length
  text.append(63 - (text.size() + fixed) % 64, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  put_numbers(header, std::uint8_t{0}, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

std::uint32_t in_32_bits(std::size_t size, const std::string& place) {
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw DataError(place +
                    ": would be larger than 4 GiB, for which Marian's form of zip has no room; "
                    "convert to another format");
  return static_cast<std::uint32_t>(size);
}

/// What the header of an entry and the directory both say of it, from the version that it needs on:
/// no flags, stored, the first day of the calendar.
void put_facts(std::string& out, std::uint32_t crc, std::uint32_t size, std::size_t name) {
  constexpr std::uint16_t version = 20, none = 0, first_day = 0x21;
  put_numbers(out, version, none, none, none, first_day, crc, size, size,
              static_cast<std::uint16_t>(name), none);
}

}  // namespace

void NpzWriter::add(const NpzArray& array) {
  if (++count_ > std::numeric_limits<std::uint16_t>::max())
    throw DataError(place_ + ": would have more than 65535 arrays; convert to another format");
  constexpr std::uint16_t version = 20, none = 0;
  const auto header = npy_header(array);
  const auto name = array.name + ".npy";
  const auto size = in_32_bits(header.size() + array.bytes.size(), place_);
  const auto crc = zip_checksum(array.bytes, zip_checksum(header));
  const auto begin = in_32_bits(file_.size(), place_);
  std::string local = "PK\x03\x04";
  put_facts(local, crc, size, name.size());
  file_.append(local + name + header);
  file_.append(array.bytes);
  directory_ += "PK\x01\x02";
  put_numbers(directory_, version);
  put_facts(directory_, crc, size, name.size());
  // No comment, the first disk, no attributes; then where the entry begins.
  put_numbers(directory_, none, none, none, std::uint32_t{0}, begin);
  directory_ += name;
}

void NpzWriter::commit() {
  constexpr std::uint16_t none = 0;
  const auto count = static_cast<std::uint16_t>(count_);
  std::string end = "PK\x05\x06";
  put_numbers(end, none, none, count, count, in_32_bits(directory_.size(), place_),
              in_32_bits(file_.size(), place_), none);
  file_.append(directory_ + end);
  file_.commit();
}

}  // namespace dragoman

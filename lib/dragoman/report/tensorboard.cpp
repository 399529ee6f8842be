#include "dragoman/report/tensorboard.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/machine.h"
#include "dragoman/report/crc32c.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace dragoman {

namespace {

// Field numbers of TensorFlow's event.proto, summary.proto, tensor.proto and tensor_shape.proto.
namespace field {
constexpr std::uint32_t event_wall_time = 1;
constexpr std::uint32_t event_step = 2;
constexpr std::uint32_t event_file_version = 3;
constexpr std::uint32_t event_summary = 5;
constexpr std::uint32_t event_session_log = 7;
constexpr std::uint32_t summary_value = 1;
constexpr std::uint32_t value_tag = 1;
constexpr std::uint32_t value_simple_value = 2;
constexpr std::uint32_t value_tensor = 8;
constexpr std::uint32_t value_metadata = 9;
constexpr std::uint32_t metadata_plugin = 1;
constexpr std::uint32_t plugin_name = 1;
constexpr std::uint32_t tensor_dtype = 1;
constexpr std::uint32_t tensor_shape = 2;
constexpr std::uint32_t tensor_strings = 8;
constexpr std::uint32_t shape_dimension = 2;
constexpr std::uint32_t dimension_size = 1;
constexpr std::uint32_t session_log_status = 1;
}  // namespace field

constexpr std::uint64_t session_start = 1;
constexpr std::uint64_t dtype_string = 7;
constexpr std::string_view name_prefix = "events.out.tfevents.";

/// A protocol buffer message under construction: fields in the order they are added.
class Message {
 public:
  Message& varint(std::uint32_t number, std::uint64_t value) {
    key(number, 0);
    append_varint(value);
    return *this;
  }
  Message& float64(std::uint32_t number, double value) {
    key(number, 1);
    bytes_ += to_little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Message& float32(std::uint32_t number, float value) {
    key(number, 5);
    bytes_ += to_little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& text(std::uint32_t number, std::string_view value) {
    key(number, 2);
    append_varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t number, const Message& value) {
    return text(number, value.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(std::uint32_t number, std::uint32_t wire_type) {
    append_varint(number << 3 | wire_type);
  }

  void append_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

Message event() {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return Message().float64(field::event_wall_time, now.count());
}

constexpr std::int64_t last_time = 9999999998;  // the next one has ten digits too

/// Readers take the files of a folder in the order of their names, which begin with the time: a
/// second start within one second still has to sort after the first.
std::int64_t next_time(const std::filesystem::path& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t time = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(name_prefix)) continue;
    std::int64_t other = 0;
    const auto end =
        std::from_chars(name.data() + name_prefix.size(), name.data() + name.size(), other);
    if (end.ec == std::errc() && other <= last_time) time = std::max(time, other + 1);
  }
  return time;
}

std::filesystem::path new_path(const std::filesystem::path& folder) {
  try {
    std::filesystem::create_directories(folder);
    char time[32];
    std::snprintf(time, sizeof time, "%010lld", static_cast<long long>(next_time(folder)));
    return folder / concat(name_prefix, time, '.', host_name());
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(concat(folder.string(), ": cannot be created as a folder for event files: ",
                           error.code().message()));
  }
}

}  // namespace

TensorBoard::TensorBoard(const std::filesystem::path& folder, std::int64_t first_step)
    : path_(new_path(folder)), descriptor_(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND) {
  append(event().text(field::event_file_version, "brain.Event:2").bytes());
  append(event()
             .varint(field::event_step, static_cast<std::uint64_t>(first_step))
             .message(field::event_session_log,
                      Message().varint(field::session_log_status, session_start))
             .bytes());
}

void TensorBoard::write(std::int64_t step,
                        const std::vector<std::pair<std::string, double>>& scalars) {
  Message summary;
  for (const auto& [tag, value] : scalars)
    summary.message(field::summary_value,
                    Message()
                        .text(field::value_tag, tag)
                        .float32(field::value_simple_value, static_cast<float>(value)));
  write_summary(step, summary.bytes());
}

void TensorBoard::write_text(std::int64_t step, const std::string& tag,
                             const std::string& markdown) {
  const auto plugin = Message().text(field::plugin_name, "text");
  const auto shape =
      Message().message(field::shape_dimension, Message().varint(field::dimension_size, 1));
  const auto tensor = Message()
                          .varint(field::tensor_dtype, dtype_string)
                          .message(field::tensor_shape, shape)
                          .text(field::tensor_strings, markdown);
  const auto value =
      Message()
          .text(field::value_tag, tag)
          .message(field::value_tensor, tensor)
          .message(field::value_metadata, Message().message(field::metadata_plugin, plugin));
  write_summary(step, Message().message(field::summary_value, value).bytes());
}

void TensorBoard::write_summary(std::int64_t step, const std::string& summary) const {
  append(event()
             .varint(field::event_step, static_cast<std::uint64_t>(step))
             .text(field::event_summary, summary)
             .bytes());
}

// A TFRecord: length (64 bits), its masked CRC, the data, their masked CRC.
void TensorBoard::append(const std::string& event) const {
  const auto length = to_little_endian(std::uint64_t{event.size()});
  descriptor_.write(length + to_little_endian(masked_crc32c(length)) + event +
                    to_little_endian(masked_crc32c(event)));
}

}  // namespace dragoman

#include "dragoman/run/stored_state.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/stored_json.h"
#include "dragoman/run/model_file.h"

#include <system_error>
#include <utility>

namespace dragoman {

namespace {

constexpr const char* use_another = "use another checkpoint";

}  // namespace

bool is_training_state(const nlohmann::json& content) {
  return content.is_object() && content.contains("skipped");
}

bool StoredState::is_training() const { return is_training_state(content); }

nlohmann::json StoredState::identity() const {
  auto identity = content.value("identity", nlohmann::json::object());
  if (!identity.is_object())
    throw FormatError(concat(place, ": is damaged: its identity is not an object; ", use_another));
  return identity;
}

StoredState read_stored_state(const std::filesystem::path& checkpoint) {
  const auto file = checkpoint / state_file;
  auto content = parse_stored_json(read_regular_file(file), file.string(), use_another);
  return {.content = std::move(content), .place = file.string()};
}

std::optional<StoredState> find_stored_state(const std::filesystem::path& checkpoint) {
  std::error_code missing;
  if (!std::filesystem::exists(checkpoint / state_file, missing)) return std::nullopt;
  return read_stored_state(checkpoint);
}

}  // namespace dragoman

#include "dragoman/config/parse.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/presets.h"
#include "dragoman/config/strict_json.h"
#include "dragoman/config/unused_settings.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

#include <algorithm>

namespace dragoman {

namespace {

using nlohmann::json;
using Files = std::vector<std::filesystem::path>;

constexpr const char* extends_key = "extends";
constexpr std::uintmax_t largest_file = 1 << 20;

/// A name for messages; names of files may hold anything.
std::string shown(const std::filesystem::path& file) { return printable(file.string(), 500); }

void expect_small(const std::filesystem::path& file) {
  std::error_code error;
  const auto kind = std::filesystem::status(file, error).type();
  using std::filesystem::file_type;
  if (kind == file_type::character || kind == file_type::block || kind == file_type::socket)
    throw OptionsError(concat(shown(file), ": is a device, not a file; name a JSON file"));
  if (kind == file_type::regular && std::filesystem::file_size(file, error) > largest_file)
    throw OptionsError(
        concat(shown(file), ": is larger than ", largest_file, " bytes; name a configuration"));
}

/// \param readers files that led here: one that the user named may be a pipe, others may not
std::string read_configuration(const std::filesystem::path& file, const Files& readers) {
  expect_small(file);
  return readers.empty() ? read_file(file) : read_regular_file(file);
}

json checked(json given, const std::string& place) {
  check_options(given, place);
  return given;
}

/// The file that `name` means in `file`. Only one beside it: a configuration from elsewhere opens
/// no others.
std::filesystem::path extended_by(const std::filesystem::path& file, const json& name) {
  const std::filesystem::path other = name.is_string() ? name.get<std::string>() : std::string();
  const bool is_plain = other.has_filename() && other.filename() == other && other != "." &&
                        other != ".." && other.native().find('\0') == std::string::npos;
  if (!is_plain)
    throw OptionsError(concat(shown(file),
                              ": /extends: expected the name of a file in the same folder, "
                              "such as \"base.json\", got ",
                              printable(name.dump(), 80)));
  auto extended = file.parent_path() / other;
  std::error_code ignored;
  if (!std::filesystem::exists(extended, ignored))
    throw DataError(concat(shown(file), ": /extends: there is no ", shown(extended),
                           "; the file must be in the same folder"));
  return extended;
}

/// What `file` extends, then the file itself. \param readers files that led here, outermost first
json read_with_extends(const std::filesystem::path& file, Files readers) {
  const std::string place = shown(file);
  std::error_code of_pipe;
  auto itself = std::filesystem::weakly_canonical(file, of_pipe);
  if (of_pipe) itself = file;
  if (std::find(readers.begin(), readers.end(), itself) != readers.end())
    throw OptionsError(concat(place, ": /extends: the files extend each other in a circle (",
                              shown(readers.back()), " names it); remove one of the links"));

  json given = parse_strict_json(read_configuration(file, readers), place);
  readers.push_back(itself);
  json result = json::object();
  if (given.is_object() && given.contains(extends_key)) {
    const json name = given[extends_key];
    given.erase(extends_key);
    result = read_with_extends(extended_by(file, name), std::move(readers));
  }
  merge_options(result, checked(std::move(given), place));
  return result;
}

/// A size of the vocabulary that is named is a hard limit, unless it is said not to be.
json with_hard_limit(json given) {
  const auto tokenizer = given.find("tokenizer");
  if (tokenizer != given.end() && tokenizer->contains("vocab_size") &&
      !tokenizer->contains("hard_vocab_limit"))
    (*tokenizer)["hard_vocab_limit"] = true;
  return given;
}

/// The place of a fault, then the fault, without the option's key where the place is a setting that
/// names it.
std::string placed(const std::string& place, const std::string& fault) {
  const auto key = fault.substr(0, fault.find(':'));
  const bool is_named = place.find(concat(' ', key, '=')) != std::string::npos;
  return concat(place, ": ", is_named ? fault.substr(key.size() + 2) : fault);
}

bool is_valid(const json& given) {
  json all = default_options();
  merge_options(all, with_hard_limit(given));
  try {
    all.get<RunOptions>().validate();
    return true;
  } catch (const OptionsError&) {
    return false;
  }
}

/// Defaults, then `given`, then the overrides; validated as a whole. Warns of overrides that change
/// nothing.
RunOptions resolve(const json& given, const Overrides& overrides, const std::string& place) {
  json all = default_options();
  merge_options(all, with_hard_limit(given));
  merge_options(all, with_hard_limit(overrides.values));
  const auto options = all.get<RunOptions>();
  try {
    options.validate();
  } catch (const OptionsError& error) {
    std::string setting = overrides.place_of(error.what());
    if (setting.empty() && is_valid(given)) setting = overrides.places_in(error.what());
    throw OptionsError(placed(setting.empty() ? place : setting, error.what()));
  }
  for (const auto& unused : unused_settings(all, overrides)) log_warning(unused);
  return options;
}

}  // namespace

RunOptions read_run_options(const std::filesystem::path& file,
                            const std::vector<std::string>& settings,
                            const std::vector<OptionFlag>& flags) {
  const auto given = read_with_extends(file, {});
  return resolve(given, read_overrides(settings, flags), shown(file));
}

RunOptions read_stored_options(const std::filesystem::path& file,
                               const std::vector<std::string>& settings,
                               const std::vector<OptionFlag>& flags) {
  expect_small(file);
  return parse_run_options(read_regular_file(file), shown(file), settings, flags);
}

RunOptions preset_run_options(std::string_view preset, const std::vector<std::string>& settings,
                              const std::vector<OptionFlag>& flags) {
  return parse_run_options(preset_text(preset), concat("preset ", preset), settings, flags);
}

RunOptions parse_run_options(std::string_view text, const std::string& place,
                             const std::vector<std::string>& settings,
                             const std::vector<OptionFlag>& flags) {
  const auto given = checked(parse_strict_json(text, place), place);
  return resolve(given, read_overrides(settings, flags), place);
}

RunOptions with_overrides(const RunOptions& options, const std::vector<std::string>& settings,
                          const std::vector<OptionFlag>& flags, const std::string& option) {
  return resolve(json(options), read_overrides(settings, flags, option), "the run's configuration");
}

std::string to_text(const RunOptions& options) { return json(options).dump(2) + '\n'; }

}  // namespace dragoman

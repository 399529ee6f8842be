#include "dragoman/config/data_options.h"

#include "dragoman/config/option_table.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"

#include <algorithm>

namespace dragoman {

namespace {

/// A configuration is JSON, and so UTF-8: it cannot hold any other name. Standard input can be read
/// only once.
void require_file_name(std::string_view key, const std::string& name) {
  options::require(name != "-", key, name,
                   "is standard input, and training reads a text several times",
                   "write it to a file and name that; ./- is a file of this name");
  options::require(!utf8::find_invalid(name), key, printable(name),
                   "is not UTF-8 and cannot be written to a configuration", "rename the file");
  constexpr std::size_t longest = 4095;  // bytes, of a path on Linux
  options::require(name.size() <= longest, key, printable(name, 80),
                   concat("is longer than ", longest, " bytes"), "name a file");
  options::require(name.find('\0') == std::string::npos, key, printable(name, 80),
                   "has a zero byte", "name a file");
}

void require_training_file(std::string_view key, const std::string& name) {
  options::require(!name.empty(), key, "\"\"", "is no name", "name a file");
  require_file_name(key, name);
}

/// A tag is a part of a piece's name: `>>de<<`.
void require_tags(std::string_view key, const std::vector<std::string>& tags, std::size_t files) {
  options::require(tags.empty() || tags.size() == files, key, tags.size(),
                   concat(tags.size() == 1 ? "tag" : "tags", ", but data.train_source has ",
                          counted(static_cast<std::int64_t>(files), "file")),
                   "give one tag for each file, or none");
  for (const auto& tag : tags) require_tag(key, tag);
}

void require_pairs(const DataOptions& data) {
  if (data.train_target.empty() && !data.train_source.empty())
    throw OptionsError(
        "data.train_target: missing beside data.train_source; name a target file for each source "
        "file, in the same order");
  options::require(data.train_source.size() == data.train_target.size(), "data.train_target",
                   data.train_target.size(),
                   concat(data.train_target.size() == 1 ? "file" : "files",
                          ", but data.train_source has ", data.train_source.size()),
                   "name one target file for each source file, in the same order");
  options::require(
      data.weights.empty() || data.weights.size() == data.train_source.size(), "data.weights",
      data.weights.size(),
      concat(data.weights.size() == 1 ? "weight" : "weights", ", but data.train_source has ",
             counted(std::ssize(data.train_source), "file")),
      "give one weight for each file, or none");
  require_tags("data.source_tag", data.source_tag, data.train_source.size());
  require_tags("data.target_tag", data.target_tag, data.train_source.size());
  if (data.valid_source.empty() != data.valid_target.empty())
    throw OptionsError(
        data.valid_source.empty()
            ? "data.valid_source: missing beside data.valid_target; name both or none"
            : "data.valid_target: missing beside data.valid_source; name both or none");
}

}  // namespace

void require_tag(std::string_view place, const std::string& tag) {
  const auto is_usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  options::require(std::ranges::all_of(tag, is_usual), place, printable(tag),
                   "has other characters than a-z, A-Z, 0-9, _ and -",
                   "choose a code such as de or zh_Hans");
}

void DataOptions::validate() const {
  for (const auto& name : train_source) require_training_file("data.train_source", name);
  for (const auto& name : train_target) require_training_file("data.train_target", name);
  require_file_name("data.valid_source", valid_source);
  require_file_name("data.valid_target", valid_target);
  require_ranges(nlohmann::json(*this), "data");
  require_pairs(*this);
}

}  // namespace dragoman

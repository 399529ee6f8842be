#include "dragoman/translate/target_prefixes.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/text/text_file.h"

#include <string_view>

namespace dragoman {

namespace {

/// Splits "SOURCE ||| PREFIX", where either may be empty, at the first mark.
std::string cut_prefix(std::string& line) {
  constexpr std::string_view mark = " ||| ";
  const std::string framed = ' ' + line + ' ';  // a mark at an end has lost its outer blank
  const auto at = framed.find(mark);
  if (at == std::string::npos) return {};
  auto prefix = framed.substr(at + mark.size());
  if (!prefix.empty()) prefix.pop_back();  // the frame's
  line.resize(at > 0 ? at - 1 : 0);
  return prefix;
}

}  // namespace

TargetPrefixes TargetPrefixes::of_file(const std::filesystem::path& file) {
  TargetPrefixes prefixes;
  prefixes.file_ = open_text(file.string(), LineUse::training);
  return prefixes;
}

TargetPrefixes TargetPrefixes::inside_source() {
  TargetPrefixes prefixes;
  prefixes.inside_source_ = true;
  return prefixes;
}

std::string TargetPrefixes::take(std::string& line) {
  if (inside_source_) return take_inside(line);
  if (!file_) return {};
  auto prefix = file_->next();
  if (!prefix)
    throw DataError(concat(file_->place(), ": ends after ", counted(taken_, "line"),
                           ", the source does not; ",
                           "give a line for each line of the source, an empty one for no prefix"));
  ++taken_;
  return std::move(prefix->text);
}

std::string TargetPrefixes::take_inside(std::string& line) {
  ++taken_;
  const auto length = line.size();
  auto prefix = cut_prefix(line);
  if (line.size() == length && !told_ && line.find("|||") != std::string::npos) {
    told_ = true;
    log_warning(concat("target prefixes: line ", taken_,
                       ": ||| is read as source text; "
                       "write \"SOURCE ||| PREFIX\", with a space on both sides"));
  }
  return prefix;
}

void TargetPrefixes::expect_end() {
  if (file_ && file_->next())
    throw DataError(concat(file_->place(), ": has more lines than the source, which ends after ",
                           taken_, "; line n of both must belong together"));
}

}  // namespace dragoman

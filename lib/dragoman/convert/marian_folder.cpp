#include "dragoman/convert/marian_folder.h"

#include "dragoman/convert/lost_search.h"
#include "dragoman/convert/marian_yaml.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// decoder.yml, or else all files that end so, as a training leaves them.
std::vector<fs::path> decoder_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) return {};
  if (fs::exists(folder / "decoder.yml")) return {folder / "decoder.yml"};
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(".decoder.yml")) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

[[noreturn]] void refuse_both(const fs::path& folder, const fs::path& one, const fs::path& other) {
  throw DataError(concat(folder.string(), ": has both ", one.filename().string(), " and ",
                         other.filename().string(), "; leave one of them in the folder"));
}

/// What translates with a model: its files and options of search.
class DecoderConfig {
 public:
  explicit DecoderConfig(const fs::path& file)
      : file_(file), options_(parse_marian_yaml(read_regular_file(file), file.string())) {}

  MarianFolder files() const {
    const auto names = list("vocabs");
    if (names.size() != 2) refuse(concat("names ", names.size(), " vocabularies instead of two"));
    const auto relative = list("relative-paths");
    if (!relative.empty() && !flag("relative-paths"))
      refuse(concat("relative-paths is ", printable(relative.front(), 40),
                    ": files would lie where Marian was started; name those of this folder, and "
                    "set it to true"));
    return {.model = model(),
            .source_vocabulary = beside("vocabs", names[0]),
            .target_vocabulary = beside("vocabs", names[1]),
            .search = search()};
  }

 private:
  SearchOptions search() const {
    expect_plain_search();
    SearchOptions search;
    const auto beam_size = list("beam-size");
    const auto size = beam_size.empty() ? 12 : whole_number(beam_size.front());
    if (!size) refuse_value("beam-size", "a whole number");
    search.beam_size = *size;
    search.strict_beam = *size == 1;
    search.length_penalty_kind = LengthPenaltyKind::power;
    search.length_penalty = number("normalize", 0.0);
    if (flag("allow-unk")) search.unknown = UnknownRule::keep;
    return search;
  }

  /// Options that change what is found, and that runs do not have.
  void expect_plain_search() const {
    if (number("word-penalty", 0.0) != 0.0)
      refuse(concat("word-penalty is ", printable(list("word-penalty").front(), 40),
                    ", which this program's search does not have; take it out"));
    for (const char* key : {"force-decode", "output-sampling", "right-left", "allow-special"})
      if (const auto values = list(key);
          !values.empty() && truth_value(values.front()) != std::optional(false))
        refuse(concat(key, " is ", printable(values.front(), 40),
                      ", which this program's search does not have; take it out"));
    if (!list("shortlist").empty())
      log_info(concat(file_.string(),
                      ": its shortlist is not part of the run; name it to translate --shortlist"));
    for (const char* key : {"max-length", "max-length-crop"})
      if (!list(key).empty())
        log_info(concat(file_.string(), ": its ", key,
                        " is not part of the run, whose sources are limited by data.max_length"));
    if (!list("max-length-factor").empty())
      log_info(concat(file_.string(),
                      ": its max-length-factor is not part of the run, whose translations end by "
                      "search.max_length_offset; choose that with --set"));
  }

  fs::path model() const {
    const auto models = list("models");
    if (models.size() != 1)
      refuse(concat("names ", models.size(), " models; convert them one at a time"));
    return beside("models", models.front());
  }

  /// A file of the folder, or of a folder in it.
  fs::path beside(const char* key, const std::string& name) const {
    const fs::path path(name);
    const bool leads_out = path.is_absolute() || std::ranges::find(path, "..") != path.end();
    if (name.empty() || leads_out || name.find('\0') != name.npos)
      refuse(concat(key, " has ", printable(name, 80),
                    ", which is not in the folder; copy it there, and name it so"));
    return file_.parent_path() / path;
  }

  [[noreturn]] void refuse(const std::string& fact) const {
    throw FormatError(concat(file_.string(), ": ", fact));
  }

  std::vector<std::string> list(const char* key) const {
    const auto found = options_.find(key);
    return found == options_.end() ? std::vector<std::string>() : found->second;
  }

  [[noreturn]] void refuse_value(const char* key, const char* wanted) const {
    refuse(concat(key, " is ", printable(list(key).front(), 40), ": it should be ", wanted));
  }

  bool flag(const char* key) const {
    const auto values = list(key);
    if (values.empty()) return false;
    const auto value = truth_value(values.front());
    if (!value) refuse_value(key, "true or false");
    return *value;
  }

  double number(const char* key, double or_else) const {
    const auto values = list(key);
    if (values.empty()) return or_else;
    std::string_view text = values.front();
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      refuse_value(key, "a number");
    return value;
  }

  fs::path file_;
  MarianYaml options_;
};

/// The one file of that name, with anything between both ends: model.ende.intgemm.bin.
std::optional<fs::path> file_between(const fs::path& folder, const std::string& begin,
                                     const std::string& end) {
  std::optional<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(begin + ".") || !name.ends_with("." + end)) continue;
    if (found) refuse_both(folder, *found, entry.path());
    found = entry.path();
  }
  return found;
}

/// Firefox translates greedily, with scores by length: a translation ends as soon as EOS is the
/// most probable piece.
SearchOptions firefox_search() {
  SearchOptions search;
  search.beam_size = 1;
  search.strict_beam = true;
  search.length_penalty_kind = LengthPenaltyKind::power;
  search.length_penalty = 1.0;
  return search;
}

/// None if it is no such folder.
std::optional<MarianFolder> firefox_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  const auto model = file_between(folder, "model", "bin");
  if (!model) {
    if (const auto packed = file_between(folder, "model", "bin.gz"))
      throw DataError(concat(packed->string(),
                             ": is compressed; unpack it and its neighbours: gunzip ",
                             (folder / "*.gz").string()));
    return std::nullopt;
  }
  const auto joint = file_between(folder, "vocab", "spm");
  const auto source = joint ? joint : file_between(folder, "srcvocab", "spm");
  const auto target = joint ? joint : file_between(folder, "trgvocab", "spm");
  if (!source || !target) return std::nullopt;
  return MarianFolder{.model = *model,
                      .source_vocabulary = *source,
                      .target_vocabulary = *target,
                      .shortlist = file_between(folder, "lex", "bin"),
                      .search = firefox_search()};
}

}  // namespace

bool is_marian(const fs::path& folder) {
  return !decoder_files(folder).empty() || firefox_files(folder).has_value();
}

MarianFolder find_marian_files(const fs::path& folder) {
  if (fs::is_regular_file(folder))
    throw DataError(concat(folder.string(),
                           ": is a file; give the folder of the model, or a zip archive of it"));
  const auto decoders = decoder_files(folder);
  if (decoders.size() > 1) refuse_both(folder, decoders[0], decoders[1]);
  if (!decoders.empty()) return DecoderConfig(decoders.front()).files();
  if (const auto files = firefox_files(folder)) return *files;
  throw DataError(concat(folder.string(),
                         ": has neither a decoder.yml, which names the model and its vocabularies, "
                         "nor the files of a Firefox model: model.*.bin and vocab.*.spm"));
}

}  // namespace dragoman

#include "dragoman/convert/marian_folder.h"

#include "dragoman/convert/marian_yaml.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// decoder.yml, or the one file that ends so.
std::optional<fs::path> decoder_file(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  if (fs::exists(folder / "decoder.yml")) return folder / "decoder.yml";
  std::optional<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".decoder.yml")) continue;
    if (found) return std::nullopt;
    found = entry.path();
  }
  return found;
}

/// What translates with a model: its files and options of search.
class DecoderConfig {
 public:
  explicit DecoderConfig(const fs::path& file)
      : file_(file), options_(parse_marian_yaml(read_regular_file(file), file.string())) {}

  MarianFolder files() const {
    const auto names = list("vocabs");
    if (names.size() != 2) refuse(concat("names ", names.size(), " vocabularies instead of two"));
    return {.model = model(),
            .source_vocabulary = file_.parent_path() / names[0],
            .target_vocabulary = file_.parent_path() / names[1],
            .search = search()};
  }

 private:
  SearchOptions search() const {
    SearchOptions search;
    search.beam_size = static_cast<std::int64_t>(number("beam-size", 12));
    search.length_penalty_kind = LengthPenaltyKind::power;
    search.length_penalty = number("normalize", 0.0);
    if (number("word-penalty", 0.0) != 0.0)
      refuse("word-penalty is not 0, which this program's search does not have");
    if (const auto allowed = list("allow-unk"); !allowed.empty() && allowed.front() == "true")
      search.unknown = UnknownRule::keep;
    return search;
  }

  fs::path model() const {
    const auto models = list("models");
    if (models.size() != 1)
      refuse(concat("names ", models.size(), " models; one at a time becomes a run"));
    return file_.parent_path() / models.front();
  }

  [[noreturn]] void refuse(const std::string& fact) const {
    throw FormatError(concat(file_.string(), ": ", fact));
  }

  std::vector<std::string> list(const char* key) const {
    const auto found = options_.find(key);
    return found == options_.end() ? std::vector<std::string>() : found->second;
  }

  double number(const char* key, double or_else) const {
    const auto values = list(key);
    if (values.empty()) return or_else;
    const auto& text = values.front();
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse(concat(key, " is ", printable(text, 40), ": it should be a number"));
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
    if (found)
      throw DataError(concat(folder.string(), ": has both ", found->filename().string(), " and ",
                             name, "; leave one of them in the folder"));
    found = entry.path();
  }
  return found;
}

/// Firefox translates greedily, with scores by length.
SearchOptions firefox_search() {
  SearchOptions search;
  search.beam_size = 1;
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
  return decoder_file(folder).has_value() || firefox_files(folder).has_value();
}

MarianFolder find_marian_files(const fs::path& folder) {
  if (fs::is_regular_file(folder))
    throw DataError(concat(folder.string(),
                           ": is a file; give the folder of the model, or a zip archive of it"));
  if (const auto file = decoder_file(folder)) return DecoderConfig(*file).files();
  if (const auto files = firefox_files(folder)) return *files;
  throw DataError(concat(folder.string(),
                         ": has neither a decoder.yml, which names the model and its vocabularies, "
                         "nor the files of a Firefox model: model.*.bin and vocab.*.spm"));
}

}  // namespace dragoman

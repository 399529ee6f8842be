#include "dragoman/convert/marian.h"

#include "dragoman/convert/foreign_model.h"
#include "dragoman/convert/marian_model.h"
#include "dragoman/convert/marian_vocabulary.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

#include <charconv>
#include <optional>
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

  fs::path model() const {
    const auto models = list("models");
    if (models.size() != 1)
      refuse(concat("names ", models.size(), " models; one at a time becomes a run"));
    return file_.parent_path() / models.front();
  }

  std::pair<fs::path, fs::path> vocabularies() const {
    const auto names = list("vocabs");
    if (names.size() != 2) refuse(concat("names ", names.size(), " vocabularies instead of two"));
    return {file_.parent_path() / names[0], file_.parent_path() / names[1]};
  }

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

 private:
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

ForeignModel read_marian(const fs::path& folder) {
  const auto file = decoder_file(folder);
  if (!file)
    throw DataError(concat(folder.string(),
                           ": has no decoder.yml, nor one file that ends so; it "
                           "names the model and its vocabularies"));
  const DecoderConfig decoder(*file);
  const MarianWeights weights(decoder.model());
  auto model = marian_model_options(weights);
  auto tensors = marian_tensors(weights, model);
  const auto [source_rows, target_rows] = marian_vocabulary_sizes(weights);
  const auto [source_file, target_file] = decoder.vocabularies();
  const auto source = marian_side(source_file, folder / "source.spm", source_rows);
  const auto target = marian_side(target_file, folder / "target.spm", target_rows);
  ForeignModel result{.options = {},
                      .vocabulary = {.source = source, .target = target, .joint = false},
                      .tensors = std::move(tensors),
                      .place = weights.place()};
  result.options.model = model;
  result.options.tokenizer.joint = model.has_joint_embedding();
  result.options.search = decoder.search();
  return result;
}

}  // namespace

Checkpoint import_marian(const fs::path& model_dir, const fs::path& run_dir) {
  expect_empty_folder(run_dir);
  return write_imported_run(read_marian(model_dir), model_dir, run_dir);
}

bool is_marian(const fs::path& model_dir) { return decoder_file(model_dir).has_value(); }

}  // namespace dragoman

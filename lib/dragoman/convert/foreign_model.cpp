#include "dragoman/convert/foreign_model.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/tensor/initialisation.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace dragoman {

namespace {

/// Layers that share their weights become separate ones, so that a small file could fill the
/// memory.
constexpr std::int64_t most_per_byte = 8, small_model = 1 << 20;

/// Of a file, or of the files in a folder.
std::int64_t bytes_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path))
    return static_cast<std::int64_t>(std::filesystem::file_size(path));
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  return bytes;
}

/// The options of the run. Without settings of the user the other program's files are at fault.
RunOptions options_of_run(const RunOptions& read, const std::vector<std::string>& settings,
                          const std::string& place) {
  try {
    return with_overrides(read, settings);
  } catch (const OptionsError& error) {
    if (!settings.empty()) throw;
    throw FormatError(concat(place, ": ", error.what(), ", or give another with --set"));
  }
}

}  // namespace

std::int64_t decoder_size(std::int64_t encoder, std::int64_t decoder) {
  if (decoder == encoder) return 0;
  return decoder > 0 ? decoder : -1;
}

void expect_possible(const ModelOptions& options, const std::string& place,
                     const std::filesystem::path& weights) {
  try {
    options.validate();
  } catch (const OptionsError& error) {
    const std::string_view message = error.what();  // with the remedy of one's own configuration
    throw FormatError(concat(place, ": describes an invalid model: ",
                             message.substr(0, message.find(';')), "; copy it again"));
  }
  const auto count = parameter_count(options, {.source = 1, .target = 1});
  const auto parameters = count.encoder.total() + count.decoder.total();
  const auto bytes = bytes_of(weights);
  if (parameters > small_model && parameters / most_per_byte > bytes)
    throw FormatError(concat(place, ": describes layers with ", parameters, " weights, but ",
                             weights.string(), " has only ", bytes,
                             " bytes; such shared layers are not supported"));
}

Checkpoint write_imported_run(const ForeignModel& model, const std::filesystem::path& model_dir,
                              const ImportedRun& run) {
  expect_empty_folder(run.dir);
  const auto& origin = run.origin.empty() ? model_dir : run.origin;
  const auto options = options_of_run(model.options, run.settings, origin.string());
  const SkipInitialisation loaded_instead;
  const auto& [source, target, joint] = model.vocabulary;
  Transformer modules(
      options.model, VocabularySizes{.source = source.vocab_size(), .target = target.vocab_size()});
  adopt_parameters(*modules, model.tensors, model.place, "copy it again");
  return write_new_run(run.dir, 0, to_text(options), [&](CheckpointWriter& writer) {
    for (const auto& [name, content] : model.files) write_file_atomically(run.dir / name, content);
    write_model(writer, options, *modules, model.vocabulary);
    writer.write(state_file,
                 nlohmann::json{{"format_version", checkpoint_format_version},
                                {"step", 0},
                                {"converted_from", utf8::replace_invalid(origin.string())}}
                         .dump(2) +
                     "\n");
  });
}

}  // namespace dragoman

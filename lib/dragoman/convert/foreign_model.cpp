#include "dragoman/convert/foreign_model.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/file.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/tensor/initialisation.h"

#include <nlohmann/json.hpp>

namespace dragoman {

Checkpoint write_imported_run(const ForeignModel& model, const std::filesystem::path& model_dir,
                              const ImportedRun& run) {
  expect_empty_folder(run.dir);
  const auto options = with_overrides(model.options, run.settings);
  const auto& origin = run.origin.empty() ? model_dir : run.origin;
  const SkipInitialisation loaded_instead;
  const auto& [source, target, joint] = model.vocabulary;
  Transformer modules(
      options.model, VocabularySizes{.source = source.vocab_size(), .target = target.vocab_size()});
  adopt_parameters(*modules, model.tensors, model.place);
  return write_new_run(run.dir, 0, to_text(options), [&](CheckpointWriter& writer) {
    write_model(writer, options, *modules, model.vocabulary);
    writer.write("state.json", nlohmann::json{{"format_version", checkpoint_format_version},
                                              {"step", 0},
                                              {"converted_from", origin.string()}}
                                       .dump(2) +
                                   "\n");
  });
}

}  // namespace dragoman

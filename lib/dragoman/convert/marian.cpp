#include "dragoman/convert/marian.h"

#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/foreign_model.h"
#include "dragoman/convert/marian_folder.h"
#include "dragoman/convert/marian_model.h"
#include "dragoman/convert/marian_options.h"
#include "dragoman/convert/marian_vocabulary.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/shortlist/shortlist_file.h"

#include <utility>

namespace dragoman {

namespace {

ForeignModel read_marian(const MarianFolder& files) {
  const MarianWeights weights(files.model);
  auto model = marian_model_options(weights);
  auto tensors = marian_tensors(weights, model);
  const auto [source_rows, target_rows] = marian_vocabulary_sizes(weights);
  const auto folder = files.model.parent_path();
  const auto source = marian_side(files.source_vocabulary, folder / "source.spm", source_rows);
  const auto target = marian_side(files.target_vocabulary, folder / "target.spm", target_rows);
  const bool joint = source.bytes() == target.bytes();
  ForeignModel result{
      .options = {},
      .vocabulary = {.source = source, .target = joint ? source : target, .joint = joint},
      .tensors = std::move(tensors),
      .place = weights.place()};
  result.options.model = model;
  result.options.tokenizer.joint = model.has_joint_embedding();
  result.options.search = files.search;
  return result;
}

}  // namespace

Checkpoint import_marian(const std::filesystem::path& model_dir, const ImportedRun& run) {
  expect_empty_folder(run.dir);
  return naming_origin(model_dir, run, [&] {
    const auto files = find_marian_files(model_dir);
    auto model = read_marian(files);
    if (files.shortlist) {
      read_shortlist(*files.shortlist, model.vocabulary);
      model.files[marian_shortlist_file] = read_regular_file(*files.shortlist);
    }
    auto checkpoint = write_imported_run(model, model_dir, run);
    if (marian_translates_differently(model.options.model))
      log_info(
          "this model is translated as Marian trains and scores it; Marian's own translation "
          "leaves "
          "out a norm, which --set model.norm_later_keys=false imitates");
    if (files.shortlist)
      log_info(concat("the model's shortlist, for faster translation: translate --shortlist ",
                      (run.dir / marian_shortlist_file).string()));
    return checkpoint;
  });
}

}  // namespace dragoman

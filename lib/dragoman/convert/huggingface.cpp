#include "dragoman/convert/huggingface.h"

#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/huggingface_config.h"
#include "dragoman/convert/huggingface_m2m100.h"
#include "dragoman/convert/huggingface_marian.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

namespace dragoman {

namespace {

namespace fs = std::filesystem;

ForeignModel read_folder(const fs::path& folder, const Languages& languages) {
  const HuggingFaceConfig config(folder);
  const auto type = config.text("model_type");
  if (type == "marian") {
    if (!languages.source.empty() || !languages.target.empty())
      throw OptionsError(concat(
          "convert --", languages.source.empty() ? "target" : "source",
          "-language: a MarianMT model takes its target language from the text, such as '>>deu<< "
          "..'; leave the option out"));
    return read_marian_mt(folder, config);
  }
  if (type == "m2m_100") return read_m2m100(folder, config, languages);
  config.refuse("model_type", "this program reads marian and m2m_100");
}

}  // namespace

Checkpoint import_huggingface(const fs::path& model_dir, const Languages& languages,
                              const ImportedRun& run) {
  expect_empty_folder(run.dir);
  return naming_origin(model_dir, run, [&] {
    return write_imported_run(read_folder(model_dir, languages), model_dir, run);
  });
}

bool is_huggingface(const fs::path& model_dir) {
  if (!fs::exists(model_dir / "config.json")) return false;
  try {
    return read_json_object(model_dir / "config.json").contains("model_type");
  } catch (const FormatError&) {
    for (const char* weights : {"model.safetensors", "model.safetensors.index.json",
                                "pytorch_model.bin", "pytorch_model.bin.index.json"})
      if (fs::exists(model_dir / weights)) throw;
    return false;  // of another program
  }
}

}  // namespace dragoman

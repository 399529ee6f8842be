#pragma once

#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/marian_folder.h"
#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/search/search.h"

#include "support/close.h"
#include "support/model_folders.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <torch/nn.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace test {

using Ids = std::vector<std::int32_t>;

/// What the float32 results of another implementation may differ by in sharp random models.
inline constexpr double foreign_tolerance = 5e-4;

/// Compares the log-probabilities of given translations with those of another implementation.
/// \param pairs objects with `input_ids`, `label_ids` and `logprobs`
inline void check_log_probs(dragoman::InferenceWorker& worker, const nlohmann::json& pairs) {
  REQUIRE_FALSE(pairs.empty());
  for (const auto& pair : pairs) {
    const auto source = pair.at("input_ids").get<Ids>(), target = pair.at("label_ids").get<Ids>();
    const std::span<const std::int32_t> sources(source), targets(target);
    const auto found = worker.log_probs({&sources, 1}, {&targets, 1})[0];
    const auto expected = pair.at("logprobs").get<std::vector<double>>();
    REQUIRE(found.size() == expected.size());
    for (std::size_t t = 0; t < found.size(); ++t)
      CHECK(found[t] == test::Approx(expected[t]).margin(foreign_tolerance).epsilon(0));
  }
}

/// The model folders in Marian's own forms; fails if there are none.
inline std::vector<std::filesystem::path> marian_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : model_folders()) {
    if (read_json(folder / "golden.json").contains("family")) continue;
    CAPTURE(folder.filename().string());
    REQUIRE(dragoman::is_marian(folder));
    folders.push_back(folder);
  }
  REQUIRE_FALSE(folders.empty());
  return folders;
}

/// The model folders of one family: "marian", "m2m100", "nllb"; fails if there are none.
inline std::vector<std::filesystem::path> foreign_folders(const std::string& family) {
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : model_folders())
    if (read_json(folder / "golden.json").value("family", "") == family) folders.push_back(folder);
  CAPTURE(family);
  REQUIRE_FALSE(folders.empty());
  return folders;
}

/// The ids of a text without a language, with EOS.
inline Ids with_eos(const dragoman::Tokenizer& tokenizer, const std::string& text) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

/// A model folder read as a run, with the answers that `transformers` gives.
struct ForeignCase {
  explicit ForeignCase(const std::filesystem::path& model, dragoman::Languages languages = {})
      : golden(read_json(model / "golden.json")),
        run(imported(model, languages, folder / "run")),
        engine_model(dragoman::inference_model(run.model)),
        engine(engine_model->make_worker(options())),
        modules(dragoman::module_model(run.model, {}, /*packed=*/false)->make_worker(options())) {}

  dragoman::InferenceOptions options() const {
    return {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()};
  }

  Ids source_ids(const std::string& text) const { return with_eos(run.vocabulary.source, text); }
  Ids target_ids(const std::string& text) const { return with_eos(run.vocabulary.target, text); }

  /// How `generate` was called for the golden answers.
  dragoman::SearchOptions search() const {
    auto search = run.options.search;
    search.early_stopping = dragoman::EarlyStopping::estimate;
    const auto& rules = golden.at("search");
    search.renormalize = rules.at("renormalize_logits").get<bool>();
    search.force_eos = !rules.at("forced_last_id").is_null();
    search.length_penalty = rules.at("length_penalty").get<double>();
    search.max_length = golden.at("max_length").get<std::int64_t>() - 1;
    search.beam_size = rules.at("num_beams").get<std::int64_t>();
    search.n_best = search.beam_size;
    return search;
  }

  std::vector<dragoman::Hypothesis> found(dragoman::InferenceWorker& worker, const Ids& source,
                                          const dragoman::SearchOptions& search) const {
    const std::span<const std::int32_t> view(source);
    const auto scorer = worker.start({&view, 1}, search);
    const std::vector<std::int64_t> limits{search.max_length};
    const std::vector<Ids> prefixes{run.vocabulary.target.prefix()};
    const bool has_prefix = !prefixes.front().empty();
    return dragoman::run_search(
        *scorer,
        {.max_lengths = limits,
         .prefixes = has_prefix ? dragoman::ForcedPrefixes(prefixes) : dragoman::ForcedPrefixes(),
         .free_tokens = std::ssize(prefixes.front()),
         .special = run.vocabulary.target.special()},
        search)[0];
  }

  /// Whether a hypothesis ended by itself: not cut, nor made to end at the length limit.
  bool ended(const dragoman::Hypothesis& hypothesis) const {
    const bool cut = std::ssize(hypothesis.ids) == search().max_length;
    return hypothesis.finished && !(cut && !golden.at("search").at("forced_last_id").is_null());
  }

  TemporaryDirectory folder;
  nlohmann::json golden;
  dragoman::LoadedRun run;
  std::shared_ptr<const dragoman::InferenceModel> engine_model;
  std::unique_ptr<dragoman::InferenceWorker> engine, modules;

 private:
  static dragoman::LoadedRun imported(const std::filesystem::path& model,
                                      const dragoman::Languages& languages,
                                      const std::filesystem::path& run_dir) {
    dragoman::import_huggingface(model, languages, run_dir);
    return dragoman::load_run(run_dir);
  }
};

/// Calls with each folder of transformers' families, read with the languages of its answers.
template <typename Check>
void for_foreign_cases(const Check& check) {
  std::set<std::string> families;
  for (const auto& folder : model_folders()) {
    const auto golden = read_json(folder / "golden.json");
    if (!golden.contains("family")) continue;
    CAPTURE(folder.filename().string());
    families.insert(golden.at("family").get<std::string>());
    check(ForeignCase(folder, {.source = golden.value("source_language", ""),
                               .target = golden.value("target_language", "")}));
  }
  for (const char* family : {"marian", "m2m100", "nllb"}) CHECK(families.contains(family));
}

}  // namespace test

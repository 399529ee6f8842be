#include "support/shared.h"

#include <algorithm>
#include <set>
#include <string>

namespace golden_fields_test {

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// What tests read of the answers of golden/interop_hf and golden/interop_tiny. Another size in a
/// name, such as "beam5", is the same field.
const Names tested = {"alignment_soft",
                      "banned_ids",
                      "beam4",
                      "beam4_early",
                      "cases",
                      "ctranslate2",
                      "dims",
                      "encoder_first",
                      "ended",
                      "eos_id",
                      "family",
                      "first_step_top5",
                      "forced",
                      "forced_first_id",
                      "forced_last_id",
                      "greedy",
                      "greedy_ids",
                      "greedy_logprobs",
                      "greedy_score",
                      "hypotheses",
                      "ids",
                      "input_ids",
                      "kind",
                      "label_ids",
                      "length_penalty",
                      "logprobs",
                      "logprobs_base_d2_eps_1e-5",
                      "logprobs_keys_not_normalised",
                      "logprobs_without_pad",
                      "max_length",
                      "never_agrees",
                      "num_beams",
                      "pad_id",
                      "pieces",
                      "reference",
                      "renormalize_logits",
                      "rules_marian",
                      "score",
                      "search",
                      "sentencepiece_agrees",
                      "sentences",
                      "shortlist_greedy_ids",
                      "shortlist_greedy_logprobs",
                      "shortlist_ids",
                      "source_language",
                      "source_language_id",
                      "src_ids",
                      "start_id",
                      "target",
                      "target_language",
                      "target_language_id",
                      "text",
                      "translated_ids",
                      "translated_logprobs",
                      "trg_ids",
                      "unk_id",
                      "aliases",
                      "variables",
                      "engine",
                      "rules_ctranslate2"};

/// What describes the folder or how its answers were made, and is no answer; other texts, too.
const Names descriptive = {"about",
                           "activation",
                           "ctranslate2_version",
                           "files",
                           "float32_largest_difference",
                           "largest_difference",
                           "margin",
                           "model",
                           "pad_row_is_zero",
                           "scale_embedding",
                           "tensor_type",
                           "torch",
                           "transformers",
                           "type_codes",
                           "weights",
                           "engine_int8",
                           "lm_head_tied",
                           "separate_vocabularies"};

std::string without_digits(std::string name) {
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

bool is_in(const Names& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) {
    return without_digits(one) == without_digits(name);
  });
}

/// Keys of all objects; of those that begin with a number type, such as "int8 cases", the rest.
/// Texts that no test reads only describe.
void collect(const nlohmann::json& json, Names& names) {
  if (json.is_array())
    for (const auto& item : json) collect(item, names);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    const auto name = key.substr(key.find(' ') + 1);
    if (!value.is_string()) names.insert(name);
    if (name != "dims" && name != "aliases" && name != "type_codes") collect(value, names);
  }
}

}  // namespace

TEST_CASE("each field of the answers for foreign models is read by a test or only describes",
          "[golden]") {
  std::vector<fs::path> files = {test::cases("golden/interop_tiny/expected.json")};
  for (const auto& folder : fs::directory_iterator(test::cases("golden/interop_hf")))
    for (const char* name : {"golden.json", "golden_ctranslate2.json"})
      if (fs::exists(folder.path() / name)) files.push_back(folder.path() / name);
  CHECK(files.size() > 1);
  for (const auto& file : files) {
    CAPTURE(file.string());
    Names found;
    collect(test::read_json(file), found);
    for (const auto& name : found) {
      CAPTURE(name);
      CHECK((is_in(tested, name) || is_in(descriptive, name)));
    }
  }
}

}  // namespace golden_fields_test

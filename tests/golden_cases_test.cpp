#include "support/golden.h"
#include "support/paths.h"
#include "support/program.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace golden_cases_test {

namespace {

/// The cases of golden/transformer.json that tests read, by the beginning of their names.
const std::vector<std::string> tested = {"softmax",
                                         "sdpa_",
                                         "naive_sum_past",
                                         "naive_dot_past",
                                         "mha_",
                                         "positional_sinusoidal",
                                         "embedding_",
                                         "ffn_",
                                         "layer_norm",
                                         "encoder_layer_",
                                         "decoder_layer_",
                                         "attention_patterns",
                                         "attention_pattern_counts",
                                         "linear_attention",
                                         "lowrank_attention",
                                         "label_smoothed_cross_entropy",
                                         "noam_schedule",
                                         "adam",
                                         "clip_grad_norm",
                                         "transformer_",
                                         "model_decode",
                                         "head_importance",
                                         "attention_statistics",
                                         "beam_search",
                                         "sampling_filter",
                                         "bleu",
                                         "parameter_counts"};

/// The text of all other files below tests/ that name golden cases.
std::string text_of_tests() {
  std::string text;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_folder() / "tests")) {
    const auto& path = entry.path();
    if ((path.extension() == ".cpp" || path.extension() == ".h") &&
        path.filename() != "golden_cases_test.cpp")
      if (const auto content = test::content_of(path); content.find("olden") != std::string::npos)
        text += content;
  }
  return text;
}

}  // namespace

TEST_CASE("each golden case has a test, and each test a golden case", "[golden]") {
  const auto tests = text_of_tests();
  for (const auto& beginning : tested) {
    CAPTURE(beginning);
    test::golden_names(beginning);
    CHECK(tests.find('"' + beginning) != std::string::npos);
  }
  for (const auto& [name, stored] : test::golden_file().at("cases").items()) {
    CAPTURE(name);
    CHECK(std::any_of(tested.begin(), tested.end(), [&name = name](const std::string& beginning) {
      return name.starts_with(beginning);
    }));
  }
}

}  // namespace golden_cases_test

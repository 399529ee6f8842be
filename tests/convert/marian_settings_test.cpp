#include "dragoman/convert/marian.h"

#include "convert/marian_case.h"
#include "dragoman/model/attention_record.h"

#include <filesystem>

namespace marian_settings_test {

using namespace dragoman;
using namespace marian_case;
using test::Ids;

namespace {

torch::Tensor one_row(const Ids& ids) {
  return torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
}

/// Compares the weights of the first head of the last decoder layer on the source.
void check_alignments(const LoadedRun& run, const nlohmann::json& pair) {
  const auto source = one_row(pair.at("input_ids").get<Ids>());
  auto read = pair.at("label_ids").get<Ids>();
  read.pop_back();
  read.insert(read.begin(), static_cast<std::int32_t>(run.vocabulary.target.special().bos));
  const auto mask = torch::ones_like(source, torch::kBool);
  AttentionRecord record;
  const torch::NoGradGuard no_grad;
  auto model = run.model;
  model->decode(one_row(read), model->encode(source, mask), mask, &record);
  const auto weights = record.cross.back()[0][0];
  const auto expected = pair.at("alignment_soft").get<std::vector<std::vector<double>>>();
  REQUIRE(weights.size(0) == std::ssize(expected));
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const auto row = weights[static_cast<std::int64_t>(t)].to(torch::kFloat64);
    REQUIRE(row.sizes() == at::IntArrayRef{std::ssize(expected[t])});
    CHECK((row - torch::tensor(expected[t], torch::kFloat64)).abs().max().item<double>() <
          test::foreign_tolerance);
  }
}

/// The name of the answers in Marian's folders that begins so; what follows it is a constant.
std::string answers_with(const std::string& prefix) {
  for (const auto& folder : test::marian_folders()) {
    const auto golden = test::read_json(folder / "golden.json");
    for (const auto& pair : golden.at("forced"))
      for (const auto& [name, value] : pair.items())
        if (name.starts_with(prefix)) return name;
  }
  throw std::runtime_error("golden/interop_hf: no folder of Marian has " + prefix);
}

}  // namespace

TEST_CASE("settings make of Marian's models what importers with other constants make of them",
          "[golden]") {
  const std::string prefix = "logprobs_base_d2_eps_";
  const auto key = answers_with(prefix);
  for_models({"model.sinusoids=halves", "model.layer_norm_eps=" + key.substr(prefix.size())},
             "forced", [&key](const LoadedRun& run, nlohmann::json pairs) {
               for (auto& pair : pairs) pair["logprobs"] = pair.at(key);
               const auto engine = inference_model(run.model);
               const auto modules = module_model(run.model, {}, /*packed=*/false);
               for (const auto* model : {engine.get(), modules.get()})
                 test::check_log_probs(
                     *model->make_worker({.source = run.vocabulary.source.special(),
                                          .target = run.vocabulary.target.special()}),
                     pairs);
             });
}

TEST_CASE("the first head of the last decoder layer has Marian's soft alignments", "[golden]") {
  for_models({}, "forced", [](const LoadedRun& run, const nlohmann::json& pairs) {
    int compared = 0;
    for (const auto& pair : pairs) {
      if (!pair.contains("alignment_soft")) continue;
      check_alignments(run, pair);
      ++compared;
    }
    CHECK(compared > 0);
  });
}

}  // namespace marian_settings_test

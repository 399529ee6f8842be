#include "convert/foreign_case.h"
#include "convert/marian_case.h"
#include "dragoman/core/concat.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/search.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "support/refusal.h"
#include "support/skip.h"

#include <torch/nn.h>

#include <memory>

namespace marian_test {

using namespace dragoman;
namespace fs = std::filesystem;
using namespace marian_case;
using test::Ids;
using test::with_eos;

namespace {

/// The folders of tests/golden/interop_hf that Marian reads.
template <typename Check>
void for_folders(const Check& check) {
  for (const auto& folder : test::marian_folders()) {
    CAPTURE(folder.filename().string());
    const test::TemporaryDirectory made;
    check(imported(folder, made / "run"), test::read_json(folder / "golden.json"));
  }
}

InferenceOptions inference_options(const LoadedRun& run) {
  return {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()};
}

Hypothesis greedy(InferenceWorker& worker, const LoadedRun& run, const Ids& source,
                  std::int64_t max_length) {
  const std::span<const std::int32_t> view(source);
  auto search = run.options.search;
  search.greedy = true;
  const auto scorer = worker.start({&view, 1}, search);
  const std::vector<std::int64_t> limits{max_length};
  return run_search(*scorer, {.max_lengths = limits, .special = run.vocabulary.target.special()},
                    search)[0][0];
}

}  // namespace

TEST_CASE("Marian's texts have its ids and pieces", "[golden]") {
  for_folders([](const LoadedRun& run, const nlohmann::json& golden) {
    REQUIRE_FALSE(golden.at("sentences").empty());
    CHECK(run.vocabulary.target.special().eos == golden.at("eos_id"));
    CHECK(run.vocabulary.target.special().unk == golden.at("unk_id"));
    for (const auto& sentence : golden.at("sentences")) {
      const auto text = sentence.at("text").get<std::string>();
      CAPTURE(text);
      CHECK(with_eos(run.vocabulary.source, text) == sentence.at("input_ids").get<Ids>());
      CHECK(run.vocabulary.source.pieces(text) ==
            sentence.at("pieces").get<std::vector<std::string>>());
    }
    for (const auto& pair : golden.at("forced")) {
      CHECK(with_eos(run.vocabulary.source, pair.at("text")) == pair.at("input_ids").get<Ids>());
      CHECK(with_eos(run.vocabulary.target, pair.at("target")) == pair.at("label_ids").get<Ids>());
    }
  });
}

TEST_CASE("Marian's models give its log-probabilities, in the engine and the modules", "[golden]") {
  for_folders([](const LoadedRun& run, const nlohmann::json& golden) {
    const auto engine = inference_model(run.model);
    const auto modules = module_model(run.model, {}, /*packed=*/false);
    for (const auto* model : {engine.get(), modules.get()}) {
      const auto worker = model->make_worker(inference_options(run));
      test::check_log_probs(*worker, golden.at("forced"));
    }
  });
}

TEST_CASE("Marian's models translate greedily as its equations do", "[golden]") {
  for_folders([](const LoadedRun& run, const nlohmann::json& golden) {
    const auto engine = inference_model(run.model);
    const auto worker = engine->make_worker(inference_options(run));
    REQUIRE_FALSE(golden.at("sentences").empty());
    for (const auto& sentence : golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto source = sentence.at("input_ids").get<Ids>();
      const auto found = greedy(*worker, run, source, golden.at("max_length").get<std::int64_t>());
      CHECK(found.ids == sentence.at("greedy_ids").get<Ids>());
      CHECK(found.finished == sentence.at("ended").get<bool>());
    }
  });
}

TEST_CASE("Firefox's shortlist allows the pieces that it allows there", "[golden]") {
  int compared = 0;
  for (const auto& folder : test::marian_folders()) {
    const auto golden = test::read_json(folder / "golden.json");
    if (!test::any_has(golden.at("sentences"), "shortlist_ids")) continue;
    CAPTURE(folder.filename().string());
    const test::TemporaryDirectory made;
    const auto run = imported(folder, made / "run");
    const auto shortlist = std::make_shared<const Shortlist>(
        load_shortlist(made / "run/shortlist.bin", run.vocabulary));
    const auto model = inference_model(run.model);
    auto options = inference_options(run);
    options.shortlist = shortlist;
    const auto worker = model->make_worker(options);
    for (const auto& sentence : golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      ++compared;
      const auto source = sentence.at("input_ids").get<Ids>();
      PieceSet allowed(run.vocabulary.target.vocab_size());
      shortlist->allow(source, allowed);
      CHECK(allowed.pieces() == sentence.at("shortlist_ids").get<Ids>());
      const auto expected = sentence.at("shortlist_greedy_ids").get<Ids>();
      const auto found = greedy(*worker, run, source, std::ssize(expected));
      CHECK(found.ids == expected);
      const auto log_probs = sentence.at("shortlist_greedy_logprobs").get<std::vector<double>>();
      double sum = 0.0;
      for (const auto value : log_probs) sum += value;
      const auto steps = static_cast<double>(log_probs.size());
      CHECK(found.log_prob == test::Approx(sum).margin(steps * test::foreign_tolerance).epsilon(0));
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("before version 1.10.24 keys are not normalised", "[golden]") {
  bool compared = false;
  for (const auto& folder : test::marian_folders()) {
    CAPTURE(folder.filename().string());
    auto pairs = test::read_json(folder / "golden.json").at("forced");
    REQUIRE_FALSE(pairs.empty());
    if (!test::any_has(pairs, "logprobs_keys_not_normalised")) continue;
    compared = true;
    const test::TemporaryDirectory made;
    copy_changed(folder, made / "model", [](auto& entries) {
      replace_option(entries, "version", "v1.10.23 0000000 2021-01-01");
    });
    // An old version also means another approximation of gelu.
    const nlohmann::json activation = imported(folder, made / "original").options.model.activation;
    import_marian(
        made / "model",
        ImportedRun(made / "run", {"model.activation=" + activation.get<std::string>()}, folder));
    const auto run = load_run(made / "run");
    CHECK_FALSE(run.options.model.norm_keys);
    for (auto& pair : pairs) pair["logprobs"] = pair.at("logprobs_keys_not_normalised");
    const auto engine = inference_model(run.model);
    const auto modules = module_model(run.model, {}, /*packed=*/false);
    for (const auto* model : {engine.get(), modules.get()})
      test::check_log_probs(*model->make_worker(inference_options(run)), pairs);
  }
  CHECK(compared);
}

TEST_CASE("decoder layers that are tied are as many layers with the same weights", "[unit]") {
  const auto found = test::find_model_folder([](const auto& folder, const auto& golden) {
    return !golden.contains("family") && !npz_in(folder).empty() &&
           option_of(folder, "dec-depth") > 1;
  });
  if (!found) return test::skip("no .npz model of Marian has several decoder layers");
  const auto& model = *found;
  const std::string first = "decoder_l1_";
  const auto depth = option_of(model, "dec-depth");
  const auto list_of = [&](std::int64_t number) {
    std::string list;
    for (std::int64_t i = 0; i < depth; ++i) list += concat(i == 0 ? "[" : ", ", number);
    return list + ']';
  };
  const auto is_later = [&](const auto& entry) {
    for (std::int64_t layer = 2; layer <= depth; ++layer)
      if (entry.first.starts_with(concat("decoder_l", layer, '_'))) return true;
    return false;
  };
  const test::TemporaryDirectory made;
  copy_changed(model, made / "tied", [&](auto& entries) {
    std::erase_if(entries, is_later);
    replace_option(entries, "transformer-tied-layers", list_of(1));
  });
  copy_changed(model, made / "copied", [&](auto& entries) {
    std::erase_if(entries, is_later);
    const auto before = entries;
    for (const auto& [member, content] : before)
      for (std::int64_t layer = 2; member.starts_with(first) && layer <= depth; ++layer)
        entries.emplace(concat("decoder_l", layer, '_', member.substr(first.size())), content);
  });
  const auto tied = imported(made / "tied", made / "run1"),
             copied = imported(made / "copied", made / "run2");
  const auto of_tied = tied.model->named_parameters(), of_copied = copied.model->named_parameters();
  REQUIRE(of_tied.size() == of_copied.size());
  for (const auto& weight : of_tied) CHECK(at::equal(weight.value(), of_copied[weight.key()]));
  copy_changed(model, made / "wrong", [&](auto& entries) {
    replace_option(entries, "transformer-tied-layers", list_of(depth + 1));
  });
  CHECK_THAT(test::refusal([&] { import_marian(made / "wrong", made / "run3"); }),
             test::contains("transformer-tied-layers is ") &&
                 test::contains(concat(": its entries should be numbers of layers, 1 to ", depth)));
}

}  // namespace marian_test

#include "dragoman/convert/quantize.h"

#include "convert/random_run.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/translate/line_translator.h"
#include "support/catch.h"
#include "support/devices.h"
#include "support/temporary_directory.h"

namespace dragoman::quantize_test {

namespace {

/// A run, and lines with its own translations on the CPU as their references.
struct OwnTranslations {
  LoadedRun run = test::random_run(test::small_options());
  std::vector<LinePair> pairs;

  OwnTranslations() {
    run.options.search.no_repeat_ngram = 1;  // else a random model repeats one letter
    const std::vector<std::string> lines = {"koru baten!", "vedo baten koru.", "koru vedo."};
    const LineTranslator translator({inference_model(run.model, run.options.search)},
                                    run.vocabulary, run.options.search);
    const auto translations = translator.translate(lines);
    for (std::size_t i = 0; i < lines.size(); ++i)
      pairs.push_back({.source = lines[i], .target = translations[i].text()});
  }
};

}  // namespace

TEST_CASE("the effect of bf16 weights is measured on any device, and the run is the same",
          "[property]") {
  const OwnTranslations own;
  const test::TemporaryDirectory folder;
  const auto here = quantize_run(own.run, WeightType::bf16, {.pairs = own.pairs}, folder / "cpu");
  CHECK(here.bleu_float32 == test::Approx(100.0));
  for (const auto& device : test::other_devices()) {
    CAPTURE(device.str());
    const auto out = folder / ("on " + std::string(device.is_cuda() ? "cuda" : "device"));
    const auto there =
        quantize_run(own.run, WeightType::bf16, {.pairs = own.pairs, .device = device}, out);
    CHECK(there.bleu_float32 == test::Approx(100.0).epsilon(0.02));
    CHECK(there.sentences == own.pairs.size());
    CHECK(own.run.model->parameters().front().is_cpu());
    const auto stored = load_run(folder / "cpu"), again = load_run(out);
    for (std::size_t i = 0; i < stored.model->parameters().size(); ++i)
      CHECK(at::equal(again.model->parameters()[i], stored.model->parameters()[i]));
  }
}

TEST_CASE("the shortlists of an imported run stay with the quantised one", "[unit]") {
  const OwnTranslations own;
  const test::TemporaryDirectory folder;
  auto run = own.run;
  run.checkpoint = folder / "run" / "checkpoints" / "step-00000000";
  std::filesystem::create_directories(run.checkpoint);
  write_file_atomically(folder / "run" / "vmap.txt", "a\tb\n");
  quantize_run(run, WeightType::int8, {.pairs = own.pairs}, folder / "out");
  CHECK(read_file(folder / "out" / "vmap.txt") == "a\tb\n");
  CHECK_FALSE(std::filesystem::exists(folder / "out" / "shortlist.bin"));
}

TEST_CASE("int8 is measured on a CPU only, and a refusal writes nothing", "[unit]") {
  const OwnTranslations own;
  const test::TemporaryDirectory folder;
  for (const auto& device : test::other_devices()) {
    CHECK_THROWS_AS(quantize_run(own.run, WeightType::int8, {.pairs = own.pairs, .device = device},
                                 folder / "out"),
                    OptionsError);
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
  }
}

}  // namespace dragoman::quantize_test

#include "dragoman/convert/marian.h"

#include "dragoman/convert/marian_yaml.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/search/search.h"
#include "dragoman/storage/npz_file.h"

#include "convert/foreign_case.h"
#include "storage/zip_support.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <torch/nn.h>

#include <functional>

namespace marian_test {

using namespace dragoman;
namespace fs = std::filesystem;
using test::Ids;

namespace {

LoadedRun imported(const fs::path& model, const fs::path& run_dir) {
  import_marian(model, run_dir);
  return load_run(run_dir);
}

/// The folders of tests/golden/interop_hf that are read: those with a self-attention decoder.
template <typename Check>
void for_folders(const Check& check) {
  int count = 0;
  for (const std::string name : {"marian-package", "marian-prenorm"}) {
    const auto folder = test::cases("golden/interop_hf") / name;
    CAPTURE(name);
    const test::TemporaryDirectory made;
    check(imported(folder, made / "run"), test::read_json(folder / "golden.json"));
    ++count;
  }
  CHECK(count == 2);
}

Ids with_eos(const Tokenizer& tokenizer, const std::string& text) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

InferenceOptions inference_options(const LoadedRun& run) {
  return {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()};
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The package with its options changed.
std::string refusal_with(const std::string& from, const std::string& to) {
  const test::TemporaryDirectory folder;
  fs::copy(test::cases("golden/interop_hf/marian-package"), folder / "model",
           fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(folder / "model")) {
    if (entry.path().extension() != ".npz") continue;
    auto bytes = read_file(entry.path());
    const auto at = bytes.find(from);
    REQUIRE(at != std::string::npos);
    REQUIRE(to.size() == from.size());
    bytes.replace(at, from.size(), to);
    fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
    write_file_atomically(entry.path(), bytes);
  }
  const auto message = refusal([&] { import_marian(folder / "model", folder / "run"); });
  CHECK(fs::exists(folder / "run") == message.empty());
  return message;
}

}  // namespace

TEST_CASE("Marian's texts have its ids and pieces", "[golden]") {
  for_folders([](const LoadedRun& run, const nlohmann::json& golden) {
    for (const auto& sentence : golden.at("sentences")) {
      const auto text = sentence.at("text").get<std::string>();
      CAPTURE(text);
      CHECK(with_eos(run.vocabulary.source, text) == sentence.at("input_ids").get<Ids>());
      CHECK(run.vocabulary.source.pieces(text) ==
            sentence.at("pieces").get<std::vector<std::string>>());
    }
    for (const auto& pair : golden.at("forced"))
      CHECK(with_eos(run.vocabulary.target, pair.at("target")) == pair.at("label_ids").get<Ids>());
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
    for (const auto& sentence : golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto source = sentence.at("input_ids").get<Ids>();
      const std::span<const std::int32_t> view(source);
      auto search = run.options.search;
      search.greedy = true;
      const auto scorer = worker->start({&view, 1}, search);
      const std::vector<std::int64_t> limits{golden.at("max_length").get<std::int64_t>()};
      const auto found =
          run_search(*scorer, {.max_lengths = limits, .special = run.vocabulary.target.special()},
                     search)[0][0];
      CHECK(found.ids == sentence.at("greedy_ids").get<Ids>());
      CHECK(found.finished == sentence.at("ended").get<bool>());
    }
  });
}

TEST_CASE("options of Marian that a run cannot express are refused by name and value", "[unit]") {
  CHECK(refusal_with("swish", "swish").empty());
  CHECK_THAT(refusal_with("layer-normalization: false", "layer-normalization: true "),
             test::contains("layer-normalization is true: this program knows only false"));
  CHECK_THAT(refusal_with("autoreg: self-attention", "autoreg: average-atten "),
             test::contains("transformer-decoder-autoreg is average-atten"));
  CHECK_THAT(refusal_with("transformer-postprocess: dan", "transformer-postprocess: dar"),
             test::contains("transformer-postprocess is dar"));
  CHECK_THAT(refusal_with("transformer-ffn-depth: 2", "transformer-ffn-depth: 3"),
             test::contains("transformer-ffn-depth is 3"));
  CHECK_THAT(refusal_with("transformer-dim-ffn: 64", "transformer-dim-ffn: 63"),
             test::contains("ffn_W1: has another shape than [24, 63]"));
  CHECK_THAT(refusal_with("enc-depth: 2", "enc-depth: 1"), test::contains("has no place for"));
  CHECK_THAT(refusal_with("enc-depth: 2", "enc-depth: 3"),
             test::contains("has no parameter encoder_l3_self_Wq"));
  CHECK_THAT(refusal_with("type: transformer", "type: amun       "),
             test::contains("type is amun"));
}

TEST_CASE("Marian's YAML is read in each of its styles, and its words stay words", "[unit]") {
  const auto pieces = parse_marian_vocabulary(
      "\"</s>\": 0\n'it''s': 1\n? \"long\"\n: 2\ny: 3\non: 4\n\"\\u2581\\x41\\\"\": 5\n\":\": "
      "6\n~: 7\n",
      "v.yml");
  const std::vector<std::string> expected{"</s>", "it's", "long", "y", "on", "\u2581A\"", ":", "~"};
  REQUIRE(pieces.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(pieces[i].first == expected[i]);
    CHECK(pieces[i].second == static_cast<std::int64_t>(i));
  }
  const auto options = parse_marian_yaml(
      "a: 1\nlist:\n  - x\n  - \"y z\"\nempty: \"\"\ninline: [p, 'q']\nnone:\n  []\nno: yes\n",
      "o.yml");
  CHECK(options.at("list") == std::vector<std::string>{"x", "y z"});
  CHECK(options.at("inline") == std::vector<std::string>{"p", "q"});
  CHECK(options.at("empty") == std::vector<std::string>{""});
  CHECK(options.at("none").empty());
  CHECK(options.at("no") == std::vector<std::string>{"yes"});
  for (const std::string bad : {"a: x\n", "a\n", "\"a: 1\n", "? a\n", "a: -1\n", "\"\\xZZ\": 1\n"})
    CHECK_THAT(refusal([&] { parse_marian_vocabulary(bad, "v.yml"); }),
               test::contains("v.yml: line "));
}

TEST_CASE("arrays that are damaged are refused by name", "[unit]") {
  const auto array = [](const std::string& dict, const std::string& data) {
    return "\x93NUMPY\x01" + std::string(1, '\0') + test::little(dict.size(), 2) + dict + data;
  };
  const auto refused = [&](const std::string& dict, const std::string& data) {
    const test::TemporaryDirectory folder;
    write_file_atomically(folder / "a.npz",
                          test::zip_of({{.name = "w.npy", .content = array(dict, data)}}));
    return refusal([&] { const NpzFile file(folder / "a.npz"); });
  };
  const std::string eight(8, '\0');
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", eight).empty());
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", eight).empty());
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", eight),
             test::contains("array w: is in Fortran's order"));
  CHECK_THAT(refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }", eight),
             test::contains("is of the type '>f4'"));
  CHECK_THAT(refused("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }", eight),
             test::contains("is of the type"));
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", eight),
             test::contains("has 8 bytes, its shape 24"));
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2), }", eight),
             test::contains("has no proper shape"));
  CHECK_THAT(
      refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }",
              eight),
      test::contains("more bytes than 64 bits"));
  CHECK_THAT(refused("{}", eight), test::contains("in its header"));
}

}  // namespace marian_test

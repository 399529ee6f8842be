#include "dragoman/convert/marian.h"

#include "dragoman/convert/marian_folder.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/search/search.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/storage/zip_file.h"

#include "convert/foreign_case.h"
#include "storage/zip_support.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <torch/nn.h>

#include <functional>
#include <map>
#include <memory>

namespace marian_test {

using namespace dragoman;
namespace fs = std::filesystem;
using test::Ids;

namespace {

LoadedRun imported(const fs::path& model, const fs::path& run_dir) {
  import_marian(model, run_dir);
  return load_run(run_dir);
}

/// The folders of tests/golden/interop_hf that Marian reads.
template <typename Check>
void for_folders(const Check& check) {
  for (const auto& folder : test::marian_folders()) {
    CAPTURE(folder.filename().string());
    const test::TemporaryDirectory made;
    check(imported(folder, made / "run"), test::read_json(folder / "golden.json"));
  }
}

/// A copy of a folder whose .npz model has another set of entries.
/// \param change (entries by name, with their content) -> what is written
template <typename Change>
void copy_changed(const std::string& name, const fs::path& copy, const Change& change) {
  fs::copy(test::cases("golden/interop_hf") / name, copy, fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(copy)) {
    if (entry.path().extension() != ".npz") continue;
    std::map<std::string, std::string> entries;
    {
      const ZipFile file(entry.path());
      for (const auto& [member, content] : file.entries()) entries.emplace(member, content);
    }
    change(entries);
    std::vector<test::ZipEntry> written;
    for (const auto& [member, content] : entries)
      written.push_back({.name = member, .content = content});
    fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
    write_file_atomically(entry.path(), test::zip_of(written));
  }
}

/// A NumPy array of bytes.
std::string byte_array(const std::string& text) {
  const auto dict =
      concat("{'descr': '|i1', 'fortran_order': False, 'shape': (", text.size(), ",), }\n");
  return "\x93NUMPY\x01" + std::string(1, '\0') + test::little(dict.size(), 2) + dict + text;
}

/// The options of a model with a line replaced.
void replace_option(std::map<std::string, std::string>& entries, const std::string& key,
                    const std::string& value) {
  auto& array = entries.at("special:model.yml.npy");
  auto text = array.substr(array.find('\n') + 1);
  const auto at = ('\n' + text).find('\n' + key + ':');
  REQUIRE(at != std::string::npos);
  auto end = text.find('\n', at);
  while (end + 1 < text.size() && text[end + 1] == ' ') end = text.find('\n', end + 1);
  text.replace(at, end - at, concat(key, ": ", value));
  array = byte_array(text);
}

/// A number among the options of a folder's .npz model.
std::int64_t option_of(const std::string& name, const std::string& key) {
  for (const auto& entry : fs::directory_iterator(test::cases("golden/interop_hf") / name))
    if (entry.path().extension() == ".npz")
      return std::stoll(MarianWeights(entry.path()).options().at(key).front());
  FAIL(name << " has no .npz model");
  return 0;
}

Ids with_eos(const Tokenizer& tokenizer, const std::string& text) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
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

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Of the package with one of its options changed.
std::string refusal_with(const std::string& key, const std::string& value) {
  const test::TemporaryDirectory folder;
  copy_changed("marian-package", folder / "model",
               [&](auto& entries) { replace_option(entries, key, value); });
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
      const auto found = greedy(*worker, run, source, golden.at("max_length").get<std::int64_t>());
      CHECK(found.ids == sentence.at("greedy_ids").get<Ids>());
      CHECK(found.finished == sentence.at("ended").get<bool>());
    }
  });
}

TEST_CASE("Firefox's shortlist allows the pieces that it allows there", "[golden]") {
  const auto folder = test::cases("golden/interop_hf/firefox-tiny");
  const test::TemporaryDirectory made;
  const auto run = imported(folder, made / "run");
  const auto shortlist =
      std::make_shared<const Shortlist>(load_shortlist(made / "run/shortlist.bin", run.vocabulary));
  const auto model = inference_model(run.model);
  auto options = inference_options(run);
  options.shortlist = shortlist;
  const auto worker = model->make_worker(options);
  for (const auto& sentence : test::read_json(folder / "golden.json").at("sentences")) {
    CAPTURE(sentence.at("text").dump());
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
    CHECK(found.log_prob == test::Approx(sum).margin(test::foreign_tolerance).epsilon(0));
  }
}

TEST_CASE("before version 1.10.24 keys are not normalised", "[golden]") {
  for (const std::string name : {"marian-prenorm", "marian-prenorm-ssru"}) {
    CAPTURE(name);
    const test::TemporaryDirectory made;
    copy_changed(name, made / "model", [](auto& entries) {
      replace_option(entries, "version", "v1.10.23 0000000 2021-01-01");
    });
    const auto run = imported(made / "model", made / "run");
    auto pairs =
        test::read_json(test::cases("golden/interop_hf") / name / "golden.json").at("forced");
    for (auto& pair : pairs) pair["logprobs"] = pair.at("logprobs_keys_not_normalised");
    const auto engine = inference_model(run.model);
    const auto modules = module_model(run.model, {}, /*packed=*/false);
    for (const auto* model : {engine.get(), modules.get()})
      test::check_log_probs(*model->make_worker(inference_options(run)), pairs);
  }
}

TEST_CASE("decoder layers that are tied are as many layers with the same weights", "[unit]") {
  const std::string name = "marian-prenorm-ssru", first = "decoder_l1_";
  const auto depth = option_of(name, "dec-depth");
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
  copy_changed(name, made / "tied", [&](auto& entries) {
    std::erase_if(entries, is_later);
    replace_option(entries, "transformer-tied-layers", list_of(1));
  });
  copy_changed(name, made / "copied", [&](auto& entries) {
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
  copy_changed(name, made / "wrong", [&](auto& entries) {
    replace_option(entries, "transformer-tied-layers", list_of(depth + 1));
  });
  CHECK_THAT(refusal([&] { import_marian(made / "wrong", made / "run3"); }),
             test::contains(concat("transformer-tied-layers is ", depth + 1,
                                   ": its entries should be numbers of layers, 1 to ", depth)));
}

TEST_CASE("a folder without a model, or a compressed one, says what is missing", "[unit]") {
  const test::TemporaryDirectory made;
  CHECK_FALSE(is_marian(made.path()));
  write_file_atomically(made / "model.ende.intgemm.bin.gz", "x");
  CHECK_THAT(refusal([&] { import_marian(made.path(), made / "run"); }),
             test::contains("model.ende.intgemm.bin.gz: is compressed; unpack it"));
  write_file_atomically(made / "model.ende.intgemm.bin", "x");
  CHECK_FALSE(is_marian(made.path()));
  write_file_atomically(made / "vocab.ende.spm", "x");
  CHECK(is_marian(made.path()));
  write_file_atomically(made / "vocab.deen.spm", "x");
  CHECK_THAT(refusal([&] { import_marian(made.path(), made / "run"); }),
             test::contains("leave one of them in the folder"));
  CHECK_THAT(refusal([&] { import_marian(made / "vocab.ende.spm", made / "run"); }),
             test::contains("is a file; give the folder of the model"));
}

TEST_CASE("options of Marian that a run cannot express are refused by name and value", "[unit]") {
  CHECK(refusal_with("type", "transformer").empty());
  CHECK_THAT(refusal_with("layer-normalization", "true"),
             test::contains("layer-normalization is true: this program knows only false"));
  CHECK_THAT(refusal_with("transformer-decoder-autoreg", "rnn"),
             test::contains("dec-cell is gru: this program knows only ssru"));
  CHECK_THAT(refusal_with("transformer-decoder-autoreg", "recurrence"),
             test::contains("transformer-decoder-autoreg is recurrence"));
  CHECK_THAT(refusal_with("transformer-postprocess", "dar"),
             test::contains("transformer-postprocess is dar"));
  CHECK_THAT(refusal_with("transformer-ffn-depth", "3"),
             test::contains("transformer-ffn-depth is 3"));
  CHECK_THAT(refusal_with("type", "amun"), test::contains("type is amun"));
  const auto d_model = option_of("marian-package", "dim-emb"),
             d_ff = option_of("marian-package", "transformer-dim-ffn"),
             depth = option_of("marian-package", "enc-depth");
  CHECK_THAT(
      refusal_with("transformer-dim-ffn", std::to_string(d_ff - 1)),
      test::contains(concat("ffn_W1: has another shape than [", d_model, ", ", d_ff - 1, "]")));
  CHECK_THAT(refusal_with("enc-depth", std::to_string(depth + 1)),
             test::contains(concat("has no parameter encoder_l", depth + 1, "_self_Wq")));
  if (depth > 1)
    CHECK_THAT(refusal_with("enc-depth", std::to_string(depth - 1)),
               test::contains("has no place for"));
}

}  // namespace marian_test

#include "convert/fairseq_case.h"
#include "convert/hostile_model.h"
#include "convert/random_run.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/huggingface.h"
#include "dragoman/core/file.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "support/model_folders.h"

namespace mutation_test {

using namespace hostile_model;

namespace {

void read_huggingface(const fs::path& model, const fs::path& run) {
  import_huggingface(model, {}, run);
}

}  // namespace

TEST_CASE("damaged safetensors are read or refused", "[unit]") {
  const HostileFolder folder(test::two_vocabularies_folder());
  const auto file = folder.model / "model.safetensors";
  survive(file, {{0, 16}, {8, 4000}}, 300, [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged pickles are read or refused", "[unit]") {
  const HostileFolder folder(test::folder_with("pytorch_model.bin"));
  const auto file = folder.model / "pytorch_model.bin";
  const auto end = fs::file_size(file);
  survive(file, {part(file, "data.pkl", "PK\x03\x04"), {end - 3000, end}, {0, 100}}, 300,
          [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged vocabularies and configurations in JSON are read or refused", "[unit]") {
  const HostileFolder folder(test::two_vocabularies_folder());
  for (const char* name : {"vocab.json", "config.json", "generation_config.json"}) {
    CAPTURE(name);
    survive(folder.model / name, {}, 80, [&] { folder.import_model(read_huggingface); });
  }
}

TEST_CASE("damaged lists of languages are read or refused", "[unit]") {
  for (const auto& [family, files] :
       {std::pair<std::string, std::vector<std::string>>{
            "nllb", {"tokenizer.json", "tokenizer_config.json", "config.json"}},
        {"m2m100", {"vocab.json", "tokenizer_config.json", "special_tokens_map.json"}}}) {
    const auto original = test::folder_of_family(family);
    const HostileFolder folder(original);
    const auto golden = test::read_json(original / "golden.json");
    const Languages languages{.source = golden.at("source_language").get<std::string>(),
                              .target = golden.at("target_language").get<std::string>()};
    const auto read = [&](const fs::path& from, const fs::path& run) {
      import_huggingface(from, languages, run);
    };
    for (const auto& name : files) {
      CAPTURE(family, name);
      survive(folder.model / name, {}, 60, [&] { folder.import_model(read); });
    }
  }
}

TEST_CASE("damaged indexes of several files are read or refused", "[unit]") {
  const HostileFolder folder(test::folder_with("model.safetensors.index.json"));
  survive(folder.model / "model.safetensors.index.json", {}, 100,
          [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged models of CTranslate2 are read or refused", "[unit]") {
  const auto with_spm = test::folder_with("ctranslate2-int8");
  const HostileFolder folder(with_spm / "ctranslate2-int8");
  for (const char* name : {"source.spm", "target.spm"})
    write_file_atomically(folder.model / name, read_file(with_spm / "target.spm"));
  const auto read = [](const fs::path& model, const fs::path& run) {
    import_ctranslate2({.model_dir = model}, run);
  };
  const auto file = folder.model / "model.bin";
  const auto end = fs::file_size(file);
  survive(file, {{0, 300}, {end - 300, end}, part(file, "decoder/layer_0/ffn", "self_attention")},
          200, [&] { folder.import_model(read); });
  write_file_atomically(folder.model / "vmap.txt", "\ta b\na b\tc d\n");
  for (const char* name : {"shared_vocabulary.json", "config.json", "vmap.txt"}) {
    CAPTURE(name);
    survive(folder.model / name, {}, 60, [&] { folder.import_model(read); });
  }
}

TEST_CASE("damaged checkpoints of fairseq are read or refused", "[unit]") {
  const fairseq_case::FairseqCase one(fairseq_case::fairseq_form());
  const auto entries = fairseq_case::unicode("args") + fairseq_case::name_space(one.options);
  REQUIRE(one.refusal(entries).empty());
  const HostileFolder folder(one.model);
  const auto read = [&] {
    folder.import_model([](const fs::path& model, const fs::path& run) {
      import_fairseq({.model_dir = model}, run);
    });
  };
  const auto file = folder.model / "checkpoint_best.pt";
  const auto end = fs::file_size(file);
  survive(file, {part(file, "data.pkl", "PK\x01\x02"), {end - 500, end}}, 200, read);
  survive(folder.model / "dict.xx.txt", {}, 60, read);
}

TEST_CASE("damaged shortlists are read or refused", "[unit]") {
  RunOptions options;
  options.model.d_model = options.model.d_ff = 8;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  const auto run = test::random_run(options);
  const auto of = shortlist_vocabulary(run.vocabulary);
  std::vector<LexicalEntry> entries;
  for (std::int32_t id = 4; id < 30; ++id) {
    entries.push_back({id, id, 0.5F});
    entries.push_back({id, 33 - id, 0.25F});
  }
  const auto shortlist = make_shortlist(of, entries);
  for (const auto format :
       {ShortlistFormat::marian, ShortlistFormat::marian_text, ShortlistFormat::ctranslate2}) {
    CAPTURE(nlohmann::json(format).dump());
    const test::TemporaryDirectory folder;
    write_file_atomically(folder / "list", shortlist_bytes(shortlist, run.vocabulary, format));
    survive(folder / "list", {{0, 64}}, 200,
            [&] { read_shortlist(folder / "list", run.vocabulary); });
  }
}

}  // namespace mutation_test

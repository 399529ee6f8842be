#include "support/mutations.h"

#include "convert/fairseq_case.h"
#include "convert/random_run.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log_sink.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "support/catch.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

namespace mutation_test {

using namespace dragoman;
namespace fs = std::filesystem;

namespace {

/// While it lives, this process may take only so much more memory: who believes a damaged length
/// fails.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    auto limited = before_;
    limited.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
    if (pages > 0) ::setrlimit(RLIMIT_AS, &limited);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// No log for its lifetime.
struct Quiet {
  Quiet() {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  ~Quiet() { set_log_sink({}); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

int mutation_count(int usual) {
  const char* chosen = std::getenv("DRAGOMAN_MUTATIONS");
  return chosen != nullptr ? std::atoi(chosen) : usual;
}

/// A copy of a model's folder, of which one file is damaged again and again.
struct HostileFolder {
  test::TemporaryDirectory place;
  fs::path model = place / "model";

  explicit HostileFolder(const fs::path& original) {
    fs::create_directories(model);
    for (const auto& entry : fs::directory_iterator(original))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with("golden"))
        write_file_atomically(model / entry.path().filename(), read_file(entry.path()));
  }

  void import_model(const std::function<void(const fs::path&, const fs::path&)>& read) const {
    const auto run = place / "run";
    fs::remove_all(run);
    read(model, run);
  }
};

/// What reading a file may take: its numbers become wider ones, and are there as the model and as
/// what is written of it.
std::uint64_t memory_for(std::uint64_t file_size) {
  constexpr std::uint64_t at_most = std::uint64_t{8} << 20, times = 32;
  return at_most + times * file_size;
}

/// Reads many damaged forms of a file: each is read or refused by an error of ours, within bounds.
void survive(const fs::path& file, std::vector<std::pair<std::size_t, std::size_t>> interesting,
             int usual, const std::function<void()>& read) {
  const auto original = read_file(file);
  read();
  test::Mutations mutations(original, std::move(interesting), 20);
  const Quiet quiet;
  const MemoryLimit limit(memory_for(original.size()));
  int refused = 0;
  const auto count = mutation_count(usual);
  for (int i = 0; i < count; ++i) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << mutations.next();
    std::string fault;
    try {
      read();
    } catch (const InternalError& error) {
      fault = concat("a bug: ", error.what());
    } catch (const Error&) {
      ++refused;
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (!fault.empty()) FAIL_CHECK("mutation " << i << " of " << file << ": " << fault);
  }
  CHECK(refused > 0);
  write_file_atomically(file, original);
}

void read_huggingface(const fs::path& model, const fs::path& run) {
  import_huggingface(model, {}, run);
}

/// The part of an archive between the first occurrences of two texts.
std::pair<std::size_t, std::size_t> part(const fs::path& file, const std::string& begin,
                                         const std::string& end) {
  const auto bytes = read_file(file);
  const auto from = bytes.find(begin);
  REQUIRE(from != std::string::npos);
  return {from, std::min(bytes.find(end, from + begin.size()), bytes.size())};
}

}  // namespace

TEST_CASE("damaged safetensors are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-separate-relu"));
  const auto file = folder.model / "model.safetensors";
  survive(file, {{0, 16}, {8, 4000}}, 300, [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged pickles are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-legacy-bin"));
  const auto file = folder.model / "pytorch_model.bin";
  const auto end = fs::file_size(file);
  survive(file, {part(file, "data.pkl", "PK\x03\x04"), {end - 3000, end}, {0, 100}}, 300,
          [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged vocabularies and configurations in JSON are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-separate-relu"));
  for (const char* name : {"vocab.json", "config.json", "generation_config.json"}) {
    CAPTURE(name);
    survive(folder.model / name, {}, 80, [&] { folder.import_model(read_huggingface); });
  }
}

TEST_CASE("damaged lists of languages are read or refused", "[unit]") {
  for (const auto& [model, files] :
       {std::pair<std::string, std::vector<std::string>>{
            "nllb", {"tokenizer.json", "tokenizer_config.json", "config.json"}},
        {"m2m100", {"vocab.json", "tokenizer_config.json", "special_tokens_map.json"}}}) {
    const HostileFolder folder(test::cases("golden/interop_hf") / model);
    const auto golden = test::read_json(test::cases("golden/interop_hf") / model / "golden.json");
    const LanguagePair languages{.source = golden.at("source_language").get<std::string>(),
                                 .target = golden.at("target_language").get<std::string>()};
    const auto read = [&](const fs::path& from, const fs::path& run) {
      import_huggingface(from, languages, run);
    };
    for (const auto& name : files) {
      CAPTURE(model, name);
      survive(folder.model / name, {}, 60, [&] { folder.import_model(read); });
    }
  }
}

TEST_CASE("damaged indexes of several files are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-multi-sharded"));
  survive(folder.model / "model.safetensors.index.json", {}, 100,
          [&] { folder.import_model(read_huggingface); });
}

TEST_CASE("damaged archives of Marian are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-prenorm"));
  const auto file = folder.model / "model.npz";
  const auto end = fs::file_size(file);
  survive(file, {{0, 200}, {end - 3000, end}, part(file, "bert-sep-symbol", "PK")}, 300,
          [&] { folder.import_model(import_marian); });
}

TEST_CASE("damaged binary models of Marian are read or refused", "[unit]") {
  const auto file = test::cases("golden/interop_hf/marian-prenorm-ssru/model.bin");
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "model.bin", read_file(file));
  const auto end = fs::file_size(file);
  const auto options = MarianWeights(file).options();
  const auto size = [&](const char* key) { return std::stoll(options.at(key).front()); };
  const auto rows = size("dim-vocabs"), d_model = size("dim-emb"),
             d_ff = size("transformer-dim-ffn");
  survive(folder / "model.bin", {{0, 6000}, {end - 2500, end}}, 300, [&] {
    const MarianWeights weights(folder / "model.bin");
    weights.matrix(weights.has("Wemb") ? "Wemb" : "encoder_Wemb", rows, d_model);
    weights.vector("encoder_l1_ffn_b1", d_ff);
  });
}

TEST_CASE("damaged YAML of Marian is read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-package"));
  for (const char* name : {"opus.vocab.yml", "decoder.yml"}) {
    CAPTURE(name);
    survive(folder.model / name, {}, 150, [&] { folder.import_model(import_marian); });
  }
}

TEST_CASE("damaged models of CTranslate2 are read or refused", "[unit]") {
  const HostileFolder folder(test::cases("golden/interop_hf/marian-shared-swish/ctranslate2-int8"));
  const auto with_spm = test::cases("golden/interop_hf/marian-shared-swish");
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
    write_shortlist(folder / "list", shortlist, run.vocabulary, format);
    survive(folder / "list", {{0, 64}}, 200,
            [&] { read_shortlist(folder / "list", run.vocabulary); });
  }
}

}  // namespace mutation_test

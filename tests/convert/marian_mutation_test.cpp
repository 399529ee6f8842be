#include "convert/foreign_case.h"
#include "convert/hostile_model.h"
#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_weights.h"
#include "storage/zip_support.h"

namespace marian_mutation_test {

using namespace hostile_model;

TEST_CASE("damaged archives of Marian are read or refused", "[unit]") {
  const HostileFolder folder(test::prenorm_folder());
  const auto file = test::file_ending(folder.model, ".npz");
  const auto end = fs::file_size(file);
  survive(file, {{0, 200}, {end - 3000, end}, part(file, "special:model.yml.npy", "PK")}, 300,
          [&] { folder.import_model(import_marian); });
}

TEST_CASE("damaged binary models of Marian are read or refused", "[unit]") {
  const auto file = test::file_ending(test::marian_folder_with({".npz", ".bin"}), ".bin");
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

TEST_CASE("damaged binary models of Marian become runs or are refused", "[unit]") {
  int models = 0;
  for (const auto& folder : test::marian_folders()) {
    const HostileFolder copy(folder);
    const auto bin = test::file_ending(copy.model, ".bin");
    const auto npz = test::file_ending(copy.model, ".npz");
    if (bin.empty()) continue;
    CAPTURE(folder.filename().string());
    if (!npz.empty()) {  // decoder.yml names that one
      const auto yml = test::file_ending(copy.model, "decoder.yml");
      auto text = read_file(yml);
      const auto name = npz.filename().string();
      REQUIRE(text.find(name) != std::string::npos);
      text.replace(text.find(name), name.size(), bin.filename().string());
      write_file_atomically(yml, text);
      fs::remove(npz);
    }
    const auto end = fs::file_size(bin);
    survive(bin, {{0, 6000}, {end - 2500, end}}, 80, [&] { copy.import_model(import_marian); });
    ++models;
  }
  CHECK(models > 0);
}

TEST_CASE("damaged SentencePiece models are read or refused", "[unit]") {
  const HostileFolder folder(test::prenorm_folder());
  const auto vocabulary = test::file_ending(folder.model, ".spm");
  survive(vocabulary, {}, 100, [&] { folder.import_model(import_marian); });
}

TEST_CASE("damaged zip archives of a model's folder are unpacked or refused", "[unit]") {
  const auto original = test::marian_folder_with({".npz", ".vocab.yml"});
  const test::TemporaryDirectory place;
  const auto archive = place / "model.zip";
  std::vector<test::ZipEntry> entries;
  for (const auto& entry : fs::directory_iterator(original))
    if (!entry.path().filename().string().starts_with("golden"))
      entries.push_back({.name = "model/" + entry.path().filename().string(),
                         .content = read_file(entry.path()),
                         .method = 8,
                         .deflate = true});
  write_file_atomically(archive, test::zip_of(entries));
  const auto end = fs::file_size(archive);
  survive(archive, {{0, 100}, {end - 600, end}}, 80, [&] {
    fs::remove_all(place / "run");
    const ForeignFolder folder(archive, place / "run");
    import_marian(folder.path(), place / "run");
  });
  for (const auto& entry : fs::directory_iterator(place.path()))
    CHECK(entry.path().filename().string().find(".tmp-") == std::string::npos);
}

TEST_CASE("damaged YAML of Marian is read or refused", "[unit]") {
  const HostileFolder folder(test::marian_folder_with({".npz", ".vocab.yml"}));
  for (const char* ending : {".vocab.yml", "decoder.yml"}) {
    CAPTURE(ending);
    survive(test::file_ending(folder.model, ending), {}, 150,
            [&] { folder.import_model(import_marian); });
  }
}

}  // namespace marian_mutation_test

#include "dragoman/run/foreign_program.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <string>
#include <vector>

namespace foreign_program_test {

using dragoman::foreign_program;

namespace {

struct Folder {
  explicit Folder(const std::vector<std::string>& names, const std::string& content = "{}") {
    for (const auto& name : names) dragoman::write_new_file(place / name, content);
  }
  std::string program() const { return foreign_program(place.path()); }

  test::TemporaryDirectory place;
};

}  // namespace

TEST_CASE("a folder of another program is known by the names of its files", "[unit]") {
  using Names = std::vector<std::string>;
  const std::vector<std::pair<std::string, Names>> folders = {
      {"CTranslate2", {"model.bin", "config.json", "shared_vocabulary.json"}},
      {"CTranslate2", {"model.bin", "source_vocabulary.txt", "target_vocabulary.txt"}},
      {"CTranslate2", {"model.bin", "target_vocabulary.json"}},
      {"Marian", {"model.npz", "model.npz.decoder.yml", "vocab.spm"}},
      {"Marian", {"model.ende.intgemm.alphas.bin", "vocab.ende.spm"}},
      {"Marian", {"model.enja.bin", "srcvocab.enja.spm", "trgvocab.enja.spm"}},
      {"fairseq", {"checkpoint_best.pt", "dict.en.txt", "dict.de.txt"}},
      {"", {"model.bin"}},
      {"", {"checkpoint_best.pt"}},
      {"", {"config.json", "train.jsonl"}},
      {"", {"manifest.json", "model.bin", "shared_vocabulary.json"}},
      {"", {"state.json", "config.json", "model.safetensors"}},  // a checkpoint without manifest
      {"", {}}};
  for (const auto& [program, names] : folders) {
    CAPTURE(program, names);
    CHECK(Folder(names).program() == program);
  }
  CHECK(foreign_program("/nowhere").empty());
}

TEST_CASE("a Hugging Face folder is one whose config.json has a model type", "[unit]") {
  CHECK(Folder({"config.json"}, R"({"model_type": "marian"})").program() == "Hugging Face");
  for (const auto& other : {"{}", "[]", "model_type", ""}) {
    CAPTURE(other);
    CHECK(Folder({"config.json"}, other).program().empty());
  }
}

TEST_CASE("the command that makes a run of another program's model can be pasted", "[unit]") {
  const test::TemporaryDirectory parent;
  const auto folder = parent / "a model";
  std::filesystem::create_directory(folder);
  CHECK_NOTHROW(dragoman::expect_no_foreign_model(folder));
  dragoman::write_new_file(folder / "config.json", R"({"model_type": "marian"})");
  CHECK_THROWS_WITH(dragoman::expect_no_foreign_model(folder),
                    test::contains("is a model of Hugging Face; make a run of it: dragoman "
                                   "convert --from auto '" +
                                   folder.string() + "' -o RUN_DIR"));
}

}  // namespace foreign_program_test

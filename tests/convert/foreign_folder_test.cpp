#include "dragoman/convert/foreign_folder.h"

#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/marian.h"
#include "dragoman/core/file.h"
#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/refusal.h"
#include "support/temporary_directory.h"

namespace foreign_folder_test {

using namespace dragoman;

TEST_CASE("a folder of an archive is found beside what macOS adds", "[unit]") {
  const test::TemporaryDirectory place;
  write_file_atomically(place / "m.zip",
                        test::zip_of({{.name = "__MACOSX/opus/._config.json", .content = "1"},
                                      {.name = "opus/config.json", .content = "{}"}}));
  const ForeignFolder folder(place / "m.zip", place / "run");
  CHECK(read_file(folder.path() / "config.json") == "{}");
}

TEST_CASE("errors in an archive name it, not the folder that it was unpacked into", "[unit]") {
  const test::TemporaryDirectory place;
  const auto archive = place / "m.zip";
  const auto refusal = [&](const char* name, const char* content, const auto& read) {
    write_file_atomically(archive, test::zip_of({{.name = name, .content = content}}));
    return test::refusal([&] {
      const ForeignFolder folder(archive, place / "run");
      read(folder.path(), ImportedRun(place / "run", {}, archive));
    });
  };
  const auto json = refusal("config.json", "{}", [](const auto& folder, const auto& run) {
    import_huggingface(folder, {}, run);
  });
  CHECK(json.starts_with((archive / "config.json").string() + ": "));
  const auto yml = refusal("decoder.yml", "models: [x.npz]\nvocabs: [a.spm, a.spm]\n",
                           [](const auto& folder, const auto& run) { import_marian(folder, run); });
  CHECK_THAT(yml, test::contains(archive.string()) && !test::contains(".tmp-"));
}

}  // namespace foreign_folder_test

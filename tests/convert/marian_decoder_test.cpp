#include "dragoman/convert/marian_folder.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/refusal.h"
#include "support/temporary_directory.h"

#include <string>

namespace marian_decoder_test {

using namespace dragoman;

namespace {

/// What a decoder.yml with these lines names.
MarianFolder named_by(const std::string& lines,
                      const std::string& files = "models: [m.npz]\nvocabs: [v.spm, v.spm]\n") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "decoder.yml", files + lines);
  return find_marian_files(folder.path());
}

std::string refusal(const std::string& lines, const std::string& files) {
  return test::refusal([&] { named_by(lines, files); });
}

}  // namespace

TEST_CASE("decoder.yml may have quoted keys, comments, capitals and signs", "[unit]") {
  CHECK(named_by("\"beam-size\": 6\n").search.beam_size == 6);
  CHECK(named_by("beam-size: 6\n").search.early_stopping == EarlyStopping::off);
  CHECK(named_by("beam-size: 1\n").search.ends_at_first_eos());
  CHECK_FALSE(named_by("beam-size: 6\n").search.strict_beam);
  CHECK(named_by("beam-size: 6  # six\n# alone\n").search.beam_size == 6);
  CHECK(named_by("allow-unk: True\n").search.unknown == UnknownRule::keep);
  CHECK(named_by("allow-unk: No\n").search.unknown == UnknownRule::forbid);
  CHECK(named_by("normalize: +0.6\n").search.length_penalty == 0.6);
  CHECK(named_by("right-left: False\n").search.beam_size == 12);
  CHECK_THAT(test::refusal([] { named_by("'beam-size' 6\n"); }), test::contains("line 3: has no"));
  CHECK_THAT(test::refusal([] { named_by("'beam-size': 5\nbeam-size: 6\n"); }),
             test::contains("has the key beam-size once more"));
}

TEST_CASE("decoder.yml names files of its folder only", "[unit]") {
  const std::string vocabularies = "vocabs: [v.spm, v.spm]\n";
  for (const std::string name :
       {"../m.npz", "a/../../m.npz", "/etc/passwd", "\"\"", "\"m\\0.npz\""})
    CHECK_THAT(
        refusal("", concat("models: [", name, "]\n", vocabularies)),
        test::contains("decoder.yml: models has ") && test::contains("which is not in the folder"));
  CHECK_THAT(refusal("", "models: [m.npz]\nvocabs: [v.spm, ../v.spm]\n"),
             test::contains("decoder.yml: vocabs has ../v.spm"));
  CHECK(named_by("", "models: [./a/m.npz]\n" + vocabularies).model.filename() == "m.npz");
  CHECK(named_by("relative-paths: true\n").model.filename() == "m.npz");
  CHECK_THAT(test::refusal([] { named_by("relative-paths: false\n"); }),
             test::contains("relative-paths is false"));
}

}  // namespace marian_decoder_test

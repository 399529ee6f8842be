#include "dragoman/experiment/text_record.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace text_record_test {

using namespace dragoman;

namespace {

/// Six files, and the folder of training runs.
struct SixFiles {
  test::TemporaryDirectory folder;
  TrialTexts texts = {.train_source = {file("a.train")},
                      .train_target = {file("b.train")},
                      .valid_source = file("a.valid"),
                      .valid_target = file("b.valid"),
                      .test_source = file("a.test"),
                      .test_target = file("b.test")};

  std::string file(const std::string& name) const {
    return test::write(folder / name, "text of " + name + '\n');
  }
  std::filesystem::path dir() const { return folder / "out"; }
};

}  // namespace

TEST_CASE("a folder of training runs knows its texts by name and content", "[unit]") {
  const SixFiles six;
  CHECK_THAT(recorded_texts(six.dir()), test::contains("No text but that of synthetic tasks"));
  record_texts(six.texts, six.dir());
  CHECK(recorded_texts(six.dir()) == six.texts.description());
  CHECK_THAT(recorded_texts(six.dir()), test::contains("a.train and b.train"));
  CHECK_NOTHROW(record_texts(six.texts, six.dir()));
}

TEST_CASE("the same text under another name is the same text", "[unit]") {
  const SixFiles six;
  record_texts(six.texts, six.dir());
  auto renamed = six.texts;
  renamed.test_target = test::write(six.folder / "c.test", "text of b.test\n");
  CHECK_NOTHROW(record_texts(renamed, six.dir()));
  CHECK_THAT(recorded_texts(six.dir()), test::contains("b.test"));
}

TEST_CASE("another text than that of the training runs is refused, whichever file differs",
          "[unit]") {
  const SixFiles six;
  record_texts(six.texts, six.dir());
  const auto other = test::write(six.folder / "other", "another text\n");
  const auto refused = [&](const char* option, const auto& change) {
    auto texts = six.texts;
    change(texts);
    CHECK_THROWS_WITH(record_texts(texts, six.dir()), test::contains(option));
    CHECK_THROWS_AS(record_texts(texts, six.dir()), OptionsError);
  };
  refused("--train-source: ", [&](TrialTexts& texts) { texts.train_source = {other}; });
  refused("--train-target: ", [&](TrialTexts& texts) { texts.train_target.push_back(other); });
  refused("--valid-source: ", [&](TrialTexts& texts) { texts.valid_source = other; });
  refused("--valid-target: ", [&](TrialTexts& texts) { texts.valid_target = other; });
  refused("--test-source: ", [&](TrialTexts& texts) { texts.test_source = other; });
  refused("--test-target: ", [&](TrialTexts& texts) { texts.test_target = other; });
}

TEST_CASE("a damaged record is refused", "[unit]") {
  const SixFiles six;
  record_texts(six.texts, six.dir());
  for (const char* content : {"", "[]", R"({"train-source": []})", R"({"train-source": [1]})"}) {
    CAPTURE(content);
    write_file_atomically(six.dir() / "texts.json", content);
    CHECK_THROWS_AS(recorded_texts(six.dir()), FormatError);
    CHECK_THROWS_AS(record_texts(six.texts, six.dir()), FormatError);
  }
}

}  // namespace text_record_test

#include "dragoman/analysis/contrast.h"

#include "analysis/small_run.h"
#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/translate/scorer.h"
#include "support/temporary_directory.h"

#include <fstream>

namespace contrast_test {

using namespace dragoman;

TEST_CASE("a contrast has the scores of its two pairs and the weights of each candidate",
          "[unit]") {
  const auto run = test::small_run();
  const std::vector<Contrast> contrasts = {{"a b d", "e f", "e g", "d", {"a", "b"}},
                                           {"a b", "d", "e", "z", {"a"}}};
  const auto results = test_contrasts(run, contrasts);
  REQUIRE(results.size() == 2);
  const auto scores = score_pairs({dragoman::inference_model(run.model)}, run.vocabulary,
                                  std::vector<LinePair>{{"a b d", "e f"}, {"a b d", "e g"}});
  CHECK(results[0].right_log_prob == test::Approx(scores[0].log_prob));
  CHECK(results[0].wrong_log_prob == test::Approx(scores[1].log_prob));
  REQUIRE(results[0].layers.size() == 2);
  CHECK(results[0].layers[0].mean.size() == 2);
  CHECK(results[0].layers[0].most[0] >= results[0].layers[0].mean[0]);
  CHECK(results[1].layers.empty());  // there is no z in the source
}

TEST_CASE("contrasts are read from lines of tab-separated fields", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "ok") << "c a, b\tx\ty\tb\ta  c\nc\td\te\n";
  const auto contrasts = read_contrasts(folder / "ok");
  REQUIRE(contrasts.size() == 2);
  CHECK(contrasts[0].candidates == std::vector<std::string>{"a", "c"});
  CHECK(contrasts[1].word.empty());
  std::ofstream(folder / "bad") << "a\tb\tc\nonly one\n";
  CHECK_THROWS_WITH(read_contrasts(folder / "bad"), test::contains("line 2 has 1 fields"));
}

TEST_CASE("contrasts whose source lacks a word, and a file without any, are refused", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const char* fields : {"cat\tan animal", "it\tcat animal", "it\tanimal the"}) {
    CAPTURE(fields);
    std::ofstream(folder / "bad") << "a\tb\tc\nThe animal, it is catty.\tr\tw\t" << fields << '\n';
    CHECK_THROWS_WITH(read_contrasts(folder / "bad"), test::contains("bad: line 2: the source has "
                                                                     "no word \""));
  }
  std::ofstream(folder / "empty") << "";
  CHECK_THROWS_WITH(read_contrasts(folder / "empty"), test::contains("empty: has no lines; "));
}

}  // namespace contrast_test

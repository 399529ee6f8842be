#include "support/catch.h"
#include "support/program.h"
#include "support/shared.h"
#include "support/skip.h"

namespace word_pairs_test {

TEST_CASE("the kept relations of words are those that the parser finds", "[e2e]") {
  if (!test::have_corpus("multi30k/val.en.gz")) return;
  if (test::run({"python3", "-c", "import linkgrammar"}).exit_code != 0) {
    test::skip("python3-link-grammar is not installed");
    return;
  }
  const auto folder = test::source_folder() / "configs/experiments";
  const auto found = test::run({"bash", "-c", R"(gzip -dc "$0" | head -n 500 | "$1")",
                                (test::corpora_folder() / "multi30k/val.en.gz").string(),
                                (folder / "word_pairs.py").string()});
  CHECK(found.exit_code == 0);
  CHECK(found.out == test::content_of(folder / "multi30k_val_relations.txt"));
}

}  // namespace word_pairs_test

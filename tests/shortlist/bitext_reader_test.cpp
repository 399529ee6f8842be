#include "dragoman/shortlist/bitext_reader.h"

#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <algorithm>

namespace bitext_reader_test {

using namespace dragoman;

TEST_CASE("a text is aligned by all of its pieces, whether or not EOS ends its sources", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const test::TemporaryDirectory folder;
  const std::string line = "koru vedo lamis.";
  DataOptions options;
  options.train_source = {test::write(folder / "source", line + "\n")};
  options.train_target = {test::write(folder / "target", line + "\n")};
  const auto ids = tokenizer.encode(line);
  for (const auto& source : {tokenizer, test::without_source_eos(tokenizer)}) {
    CAPTURE(source.ends_sources());
    const auto text = encode_bitext(
        options, {.source = source, .target = tokenizer, .joint = false}, /*most_pairs=*/0);
    REQUIRE(text.size() == 1);
    CHECK(std::ranges::equal(text.source(0), ids));
    CHECK(std::ranges::equal(text.target(0), ids));
  }
}

}  // namespace bitext_reader_test

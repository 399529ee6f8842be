#include "dragoman/translate/written_pieces.h"

#include "support/catch.h"
#include "translate/small_translation.h"

#include <algorithm>
#include <cmath>

namespace written_pieces_test {

using namespace dragoman;

TEST_CASE("the pieces of a translation have the probabilities and the attention of its search",
          "[property]") {
  const auto model = inference_model(test::random_translation_model(1));
  const auto vocabulary = test::joint_vocabulary();
  const auto lines = test::synthetic_lines(8);
  const LineTranslator translator({model}, vocabulary, {.max_length = 12}, {.alignment = true});
  const auto translations = translator.translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    const auto& best = translations[i].n_best.front();
    const auto written = written_pieces(*model, vocabulary, lines[i], translations[i]);
    REQUIRE(written.pieces.size() == best.pieces.size() + (best.truncated ? 0 : 1));
    CHECK(std::equal(best.pieces.begin(), best.pieces.end(), written.pieces.begin()));
    CHECK(written.source.size() == translations[i].source_pieces.size() + 1);
    double log_prob = 0.0;
    for (const double probability : written.probabilities) log_prob += std::log(probability);
    CHECK(log_prob == test::Approx(best.log_prob).epsilon(1e-4));
    REQUIRE(written.attention.size() == written.pieces.size() * written.source.size());
    for (const auto& link : best.alignment) {
      const auto row = written.attention.begin() +
                       link.target * static_cast<std::ptrdiff_t>(written.source.size());
      const auto before_eos = row + static_cast<std::ptrdiff_t>(written.source.size()) - 1;
      CHECK(std::max_element(row, before_eos) - row == link.source);
    }
  }
}

}  // namespace written_pieces_test

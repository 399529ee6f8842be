#include "dragoman/translate/line_translator.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "translate/small_translation.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace line_translator_test {

namespace {

using dragoman::inference_model;
using dragoman::LineTranslator;
using dragoman::LineTranslatorOptions;
using dragoman::SearchOptions;
using dragoman::Translation;

std::vector<std::string> source_lines() {
  auto lines = test::synthetic_lines(30);
  lines[4] = "";
  return lines;
}

SearchOptions sampling_search(std::int64_t samples = 1) {
  SearchOptions search;
  search.sample = true;
  search.n_best = samples;
  search.max_length = 12;
  return search;
}

std::vector<std::string> all_texts(const std::vector<Translation>& translations) {
  std::vector<std::string> texts;
  for (const auto& translation : translations)
    for (const auto& one : translation.n_best) texts.push_back(one.text);
  return texts;
}

std::vector<std::string> sampled(const SearchOptions& search,
                                 const LineTranslatorOptions& options) {
  const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                  test::joint_vocabulary(), search, options);
  return all_texts(translator.translate(source_lines()));
}

}  // namespace

TEST_CASE("samples follow from the seed, whatever the batches and workers", "[property]") {
  const auto search = sampling_search(3);
  const auto expected = sampled(search, {.workers = 1, .seed = 7});
  CHECK(sampled(search, {.workers = 3, .seed = 7}) == expected);
  CHECK(sampled(search, {.workers = 1, .seed = 8}) != expected);
  auto small_batches = search;
  small_batches.batch_tokens = 30;
  CHECK(sampled(small_batches, {.workers = 2, .seed = 7}) == expected);
  auto without_cache = search;
  without_cache.cache = false;
  CHECK(sampled(without_cache, {.workers = 1, .seed = 7}) == expected);
}

TEST_CASE("samples are the same when a text comes in pieces with their line numbers",
          "[property]") {
  const LineTranslator translator({inference_model(test::random_translation_model(1))},
                                  test::joint_vocabulary(), sampling_search());
  const auto lines = source_lines();
  const auto expected = all_texts(translator.translate(lines));
  std::vector<std::string> in_pieces;
  for (std::size_t at = 0; at < lines.size(); at += 7) {
    const auto piece = std::span(lines).subspan(at, std::min<std::size_t>(7, lines.size() - at));
    for (auto& text : all_texts(translator.translate(
             piece, {.prefixes = {}, .first_line = static_cast<std::int64_t>(at)})))
      in_pieces.push_back(std::move(text));
  }
  CHECK(in_pieces == expected);
}

TEST_CASE("a consensus is the sample that agrees best with those that are drawn without it",
          "[property]") {
  const auto lines = source_lines();
  const auto search = sampling_search(6);
  const auto translate = [&](const LineTranslatorOptions& options) {
    return LineTranslator({inference_model(test::random_translation_model(1))},
                          test::joint_vocabulary(), search, options)
        .translate(lines);
  };
  const auto samples = translate({.workers = 1, .alignment = true, .seed = 7});
  for (const auto utility : {dragoman::Utility::chrf, dragoman::Utility::bleu}) {
    const auto chosen =
        translate({.workers = 3, .alignment = true, .seed = 7, .consensus = utility});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::string> texts;
      for (const auto& sample : samples[i].n_best) texts.push_back(sample.text);
      const auto best = dragoman::consensus(texts, utility);
      REQUIRE(chosen[i].n_best.size() == 1);
      CHECK(chosen[i].text() == texts[best.sample]);
      CHECK(chosen[i].utility == best.utility);
      const auto &own = chosen[i].n_best[0], &drawn = samples[i].n_best[best.sample];
      CHECK(own.pieces == drawn.pieces);
      CHECK((own.alignment == drawn.alignment));
      CHECK_FALSE(samples[i].utility.has_value());
    }
  }
}

TEST_CASE("a consensus without sampling is refused", "[unit]") {
  CHECK_THROWS_WITH(
      LineTranslator({inference_model(test::random_translation_model(1))}, test::joint_vocabulary(),
                     SearchOptions{}, {.consensus = dragoman::Utility::chrf}),
      test::contains("search.sample to true"));
}

TEST_CASE("the same sentence on two lines is sampled again", "[property]") {
  const LineTranslator translator({inference_model(test::random_translation_model(1))},
                                  test::joint_vocabulary(), sampling_search());
  const std::vector<std::string> lines(12, "baten koru lamis.");
  const auto texts = all_texts(translator.translate(lines));
  CHECK(std::set(texts.begin(), texts.end()).size() > 3);
}

TEST_CASE("each translation begins with its prefix, empty ones as without", "[property]") {
  const std::vector<std::string> lines{"koru vedo.", "baten tegal shimu", "", "lamis ruzo fenik!",
                                       "oralu"};
  const std::vector<std::string> prefixes{"gipse wendo", "", "koru", "jakur", "hymen plonar vedo"};
  for (const bool greedy : {false, true}) {
    SearchOptions search;
    search.greedy = greedy;
    search.max_length = 24;
    const LineTranslator translator({inference_model(test::random_translation_model(2), search)},
                                    test::joint_vocabulary(), search, {.alignment = true});
    const auto forced = translator.translate(lines, {.prefixes = prefixes, .first_line = 0});
    const auto unforced = translator.translate(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(greedy, i, forced[i].text());
      if (i != 2) CHECK(forced[i].text().rfind(prefixes[i], 0) == 0);
      CHECK(forced[i].n_best[0].alignment.size() == forced[i].n_best[0].pieces.size());
    }
    CHECK(forced[1].text() == unforced[1].text());
    CHECK(forced[2].text().empty());
    CHECK(forced[0].text() != unforced[0].text());
  }
}

TEST_CASE("a prefix that reaches the length limit is refused", "[unit]") {
  SearchOptions search;
  search.max_length = 6;
  const LineTranslator translator({inference_model(test::random_translation_model(2), search)},
                                  test::joint_vocabulary(), search);
  const std::vector<std::string> lines{"koru"}, prefixes{"hymen plonar vedo"};
  CHECK_THROWS_WITH(translator.translate(lines, {.prefixes = prefixes}),
                    test::contains("may have at most 6, EOS included; shorten it or raise"));
}

TEST_CASE("a line that is split has its prefix in the first sentence", "[unit]") {
  SearchOptions search;
  search.max_length = 8;
  const LineTranslator translator({inference_model(test::random_translation_model(2), search)},
                                  test::joint_vocabulary(), search, {.max_source_length = 8});
  const std::vector<std::string> lines{"baten koru. Lamis vedo. Plonar shimu."}, prefixes{"tegal"};
  const auto found = translator.translate(lines, {.prefixes = prefixes, .first_line = 0})[0];
  REQUIRE(found.split);
  CHECK(found.text().rfind("tegal", 0) == 0);
}

TEST_CASE("the hypotheses of a line that is split are in the order of their scores", "[property]") {
  SearchOptions search;
  search.beam_size = search.n_best = 6;
  search.max_length = 8;
  const LineTranslator translator({inference_model(test::random_translation_model(2), search)},
                                  test::joint_vocabulary(), search,
                                  {.max_source_length = 8, .alignment = true});
  const std::vector<std::string> lines{"baten koru. Lamis vedo. Plonar shimu.",
                                       "Shimu baten. Koru vedo lamis."};
  for (const auto& found : translator.translate(lines)) {
    REQUIRE((found.split && found.n_best.size() > 2));
    for (std::size_t k = 2; k < found.n_best.size(); ++k) {
      const auto &better = found.n_best[k - 1], &worse = found.n_best[k];
      CHECK(std::pair(better.truncated, -better.score) <= std::pair(worse.truncated, -worse.score));
    }
  }
}

TEST_CASE("progress is told in growing numbers up to the last part", "[unit]") {
  SearchOptions search;
  search.max_length = 6;
  search.batch_tokens = 30;
  for (const std::int64_t workers : {1, 3}) {
    const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                    test::joint_vocabulary(), search, {.workers = workers});
    std::vector<std::int64_t> told;
    std::int64_t all = 0;
    translator.translate(
        source_lines(),
        {.prefixes = {}, .first_line = 0, .progress = [&](std::int64_t done, std::int64_t parts) {
           told.push_back(done);
           all = parts;
         }});
    CHECK(all == 29);  // one of the lines is blank
    REQUIRE(!told.empty());
    CHECK(std::ranges::adjacent_find(told, std::greater_equal()) == told.end());
    CHECK(told.back() == all);
  }
}

TEST_CASE("hypotheses that spell one text by different pieces count as one", "[unit]") {
  SearchOptions search;
  search.beam_size = search.n_best = 300;
  search.max_length = 3;
  const auto run = [&](bool sample) {
    auto chosen = search;
    chosen.sample = sample;
    const LineTranslator translator({inference_model(test::random_translation_model(1), chosen)},
                                    test::joint_vocabulary(), chosen, {.alignment = true});
    return translator.translate(std::vector<std::string>{"baten koru lamis."}).front().n_best;
  };
  std::set<std::string> texts;
  const auto beam = run(false);
  for (const auto& one : beam) {
    texts.insert(one.text);
    CHECK(one.alignment.size() == one.pieces.size());
  }
  CHECK(texts.size() == beam.size());
  // Best first; behind the finished ones those that the limit of length ended, best first again.
  const auto better = [](const auto& a, const auto& b) { return a.score > b.score; };
  const auto ended_by_limit = std::is_sorted_until(beam.begin(), beam.end(), better);
  CHECK(std::is_sorted(ended_by_limit, beam.end(), better));
  CHECK(run(true).size() == 300);  // samples may be equal
}

TEST_CASE("an ensemble of a model with itself translates as the model, with another differently",
          "[property]") {
  const auto one = test::random_translation_model(4), other = test::random_translation_model(5);
  const auto translate = [](const std::vector<dragoman::Transformer>& models) {
    dragoman::InferenceModels of_ensemble;
    for (const auto& model : models) of_ensemble.push_back(inference_model(model));
    return LineTranslator(of_ensemble, test::joint_vocabulary(), {.max_length = 12},
                          {.alignment = true})
        .translate(source_lines());
  };
  const auto alone = translate({one}), twice = translate({one, one}),
             both = translate({one, other});
  int different = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    CHECK(twice[i].text() == alone[i].text());
    CHECK(twice[i].n_best[0].score == test::Approx(alone[i].n_best[0].score).epsilon(1e-10));
    const auto& links = alone[i].n_best[0].alignment;
    REQUIRE(twice[i].n_best[0].alignment.size() == links.size());
    for (std::size_t k = 0; k < links.size(); ++k)
      CHECK(twice[i].n_best[0].alignment[k].source == links[k].source);
    different += both[i].text() != alone[i].text() ? 1 : 0;
  }
  CHECK(different > 0);
}

TEST_CASE("unknown pieces are not written, kept, or replaced by the source piece they attend to",
          "[property]") {
  const std::string line = "koru \xE4\xBD\xA0 vedo";
  const auto samples = [&](dragoman::UnknownRule rule) {
    auto search = sampling_search(60);
    search.unknown = rule;
    const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                    test::joint_vocabulary(), search, {.alignment = true});
    return translator.translate(std::vector{line}).front();
  };
  using enum dragoman::UnknownRule;
  const auto is_unknown = [](const std::string& piece) { return piece == "<unk>"; };
  for (const auto& one : samples(forbid).n_best)
    CHECK(std::ranges::none_of(one.pieces, is_unknown));
  const auto kept = samples(keep), copied = samples(copy);
  const auto source = test::joint_vocabulary().source.pieces(line);
  REQUIRE(kept.n_best.size() == copied.n_best.size());
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < kept.n_best.size(); ++i) {
    const auto &before = kept.n_best[i], &after = copied.n_best[i];
    REQUIRE(before.pieces.size() == after.pieces.size());
    for (std::size_t t = 0; t < before.pieces.size(); ++t) {
      const bool replaced = is_unknown(before.pieces[t]);
      unknown += replaced ? 1 : 0;
      const auto& read = source[static_cast<std::size_t>(after.alignment[t].source)];
      const bool is_in_word = t > 0 && before.pieces[t - 1] == "\u2581";
      CHECK((after.pieces[t] == (replaced ? read : before.pieces[t]) ||
             (replaced && is_in_word && read.ends_with(after.pieces[t]))));
    }
    CHECK(after.text == test::joint_vocabulary().target.decode(after.pieces));
  }
  CHECK(unknown > 3);
}

TEST_CASE("copied pieces that make texts equal leave places to further hypotheses", "[property]") {
  SearchOptions search;
  search.beam_size = search.n_best = 20;
  search.max_length = 6;
  search.unknown = dragoman::UnknownRule::copy;
  const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                  test::joint_vocabulary(), search, {.alignment = true});
  for (const auto& translation : translator.translate(source_lines())) {
    if (translation.text().empty()) continue;
    std::set<std::string> texts;
    for (const auto& one : translation.n_best) {
      texts.insert(one.text);
      CHECK(one.alignment.size() == one.pieces.size());
    }
    CHECK(translation.n_best.size() == 20);
    CHECK(texts.size() == 20);
  }
}

TEST_CASE("a prefix is written as given, with characters that the vocabulary lacks", "[property]") {
  const SearchOptions search{.max_length = 12};
  const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                  test::joint_vocabulary(), search);
  const std::vector<std::string> prefixes = {"vedo \xE4\xBD\xA0"};
  const auto translation =
      translator.translate(std::vector<std::string>{"koru"}, {.prefixes = prefixes}).front();
  CHECK(translation.text().starts_with(prefixes.front()));
}

}  // namespace line_translator_test

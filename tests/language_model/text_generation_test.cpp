#include "dragoman/language_model/text_generation.h"

#include "dragoman/core/error.h"
#include "dragoman/language_model/text_scoring.h"

#include "support/catch.h"
#include "text/text_support.h"

#include <torch/nn.h>

#include <cmath>

namespace text_generation_test {

namespace {

using dragoman::generate_texts;
using dragoman::SearchOptions;
using test::contains;

/// Random weights, in double precision so that batching does not change significant digits.
dragoman::LoadedLanguageModel random_language_model() {
  torch::manual_seed(3);
  const auto tokenizer = test::small_tokenizer();
  dragoman::LoadedLanguageModel loaded{.options = {}, .model{nullptr}, .tokenizer = tokenizer};
  auto& options = loaded.options.model;
  options.d_model = 16, options.d_ff = 32, options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 2;
  loaded.model = dragoman::LanguageModel(options, tokenizer.vocab_size());
  const torch::NoGradGuard no_gradient;
  for (auto& weight : loaded.model->parameters())
    if (weight.dim() > 1) weight.mul_(1.5);
  loaded.model->to(torch::kDouble);
  loaded.model->eval();
  return loaded;
}

SearchOptions sampling() {
  SearchOptions search;
  search.sample = true;
  search.n_best = 2;
  search.max_length = 12;
  return search;
}

}  // namespace

TEST_CASE("a generated text continues its prompt", "[property]") {
  const auto loaded = random_language_model();
  const std::vector<std::string> prompts = {"koru baten", "", "vedo"};
  SearchOptions search;
  search.greedy = true;
  search.max_length = 300;
  const auto texts = generate_texts(loaded, prompts, search, 1);
  REQUIRE(texts.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(texts[i].size() == 1);
    CHECK(texts[i][0].text.starts_with(prompts[i]));
  }
}

TEST_CASE("a prompt stays as it was given, with characters that the vocabulary lacks", "[unit]") {
  const auto loaded = random_language_model();
  const std::vector<std::string> prompts = {"koru 你 baten"};
  SearchOptions search;
  search.greedy = true;
  search.max_length = 40;
  const auto text = generate_texts(loaded, prompts, search, 1).at(0).at(0).text;
  CHECK(text.starts_with(prompts.front()));
  CHECK(text.size() > prompts.front().size());
}

TEST_CASE("samples depend on the seed and the prompt's position, not on other prompts",
          "[property]") {
  const auto loaded = random_language_model();
  const std::vector<std::string> both = {"koru", "vedo baten"}, first = {"koru"};
  const auto texts = generate_texts(loaded, both, sampling(), 4);
  const auto alone = generate_texts(loaded, first, sampling(), 4);
  const auto other = generate_texts(loaded, first, sampling(), 5);
  REQUIRE(texts[0].size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(texts[0][k].text == alone[0][k].text);
    CHECK(texts[0][k].log_prob == test::Approx(alone[0][k].log_prob));
  }
  CHECK(texts[0][0].text != texts[0][1].text);
  CHECK(texts[0][0].text != other[0][0].text);
}

TEST_CASE("a prompt as long as the limit is refused", "[unit]") {
  auto search = sampling();
  search.max_length = 2;
  const std::vector<std::string> prompts = {"koru baten lamis vedo"};
  CHECK_THROWS_WITH(generate_texts(random_language_model(), prompts, search, 1),
                    contains("line 1: has ") && contains("no room within the limit of 2"));
}

TEST_CASE("a text's score is the sum over its tokens, whatever the batches", "[property]") {
  const auto loaded = random_language_model();
  const std::vector<std::string> texts = {"koru baten lamis", "", "vedo"};
  const auto scores = dragoman::score_texts(loaded, texts);
  const auto small = dragoman::score_texts(loaded, texts, {.batch_tokens = 1});
  REQUIRE(scores.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(scores[i].log_prob == test::Approx(small[i].log_prob));
    CHECK(scores[i].tokens == small[i].tokens);
  }
  CHECK(scores[1].tokens == 0);
  const auto of_blank = dragoman::score_texts(loaded, texts, {.blank = dragoman::BlankText::eos});
  CHECK(of_blank[0].log_prob == test::Approx(scores[0].log_prob));
  CHECK(of_blank[1].tokens == 1);
  CHECK(of_blank[1].log_prob < 0.0);
  const auto special = loaded.tokenizer.special();
  auto ids = loaded.tokenizer.encode("vedo");
  ids.push_back(static_cast<std::int32_t>(special.eos));
  double log_prob = 0.0;
  auto model = loaded.model;
  auto state = model->start();
  auto last = special.bos;
  for (const auto id : ids) {
    const auto hidden = model->advance(torch::tensor({last}), state);
    log_prob += model->generator()->forward(hidden).log_softmax(-1)[0][id].item<double>();
    last = id;
  }
  CHECK(scores[2].log_prob == test::Approx(log_prob));
  CHECK(scores[2].tokens == std::ssize(ids));
  const auto tokens = static_cast<double>(scores[0].tokens + scores[2].tokens);
  CHECK(dragoman::perplexity_of(scores) ==
        test::Approx(std::exp(-(scores[0].log_prob + scores[2].log_prob) / tokens)));
}

}  // namespace text_generation_test

#include "dragoman/decoding/model_scorers.h"
#include "dragoman/search/beam_search.h"
#include "dragoman/search/path_search.h"

#include "search/golden_search.h"
#include "support/golden_module.h"

#include <torch/nn.h>

#include <algorithm>
#include <future>

namespace beam_search_model_test {

namespace {

using dragoman::beam_search;
using dragoman::EarlyStopping;
using dragoman::greedy_search;
using dragoman::Hypothesis;
using dragoman::make_scorer;
using dragoman::PaddedIds;
using dragoman::SearchOptions;
using dragoman::SpecialIds;
using dragoman::Transformer;

Transformer golden_model(const std::string& name, torch::ScalarType type) {
  const test::GoldenCase golden(name, type);
  auto model = test::golden_transformer(golden);
  model->eval();
  return model;
}

/// A model with weights large enough for confident predictions.
Transformer random_model(torch::ScalarType type, std::int64_t vocab_size) {
  torch::manual_seed(7);
  dragoman::ModelOptions options;
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  options.dropout = 0.0;
  Transformer model(options, dragoman::VocabularySizes{vocab_size, vocab_size});
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(1.3);
  model->to(type);
  model->eval();
  return model;
}

PaddedIds rows_of(const PaddedIds& all, std::int64_t first, std::int64_t count) {
  const auto mask = all.mask.narrow(0, first, count);
  const auto longest = mask.sum(1).max().item<std::int64_t>();
  return {all.ids.narrow(0, first, count).narrow(1, 0, longest), mask.narrow(1, 0, longest)};
}

PaddedIds random_sentences(std::int64_t count, std::int64_t vocab_size) {
  torch::manual_seed(3);
  const auto lengths = torch::randint(1, 13, {count, 1});
  auto ids = torch::randint(4, vocab_size, {count, 13});
  const auto places = torch::arange(13).unsqueeze(0);
  ids.masked_fill_(places.eq(lengths), 3).masked_fill_(places.gt(lengths), 0);
  return {ids, places.le(lengths)};
}

std::vector<std::int64_t> limits(std::int64_t sentences, std::int64_t max_length) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(sentences), max_length);
}

std::vector<std::vector<Hypothesis>> search(const Transformer& model, const PaddedIds& source,
                                            const SearchOptions& options, std::int64_t max_length,
                                            const SpecialIds& special = {}) {
  const c10::InferenceMode inference;
  const auto scorer = make_scorer(model, source, options);
  return beam_search(*scorer,
                     {.max_lengths = limits(source.ids.size(0), max_length), .special = special},
                     options);
}

std::vector<std::vector<Hypothesis>> greedily(const Transformer& model, const PaddedIds& source,
                                              std::int64_t max_length) {
  const c10::InferenceMode inference;
  const auto scorer = make_scorer(model, source);
  return greedy_search(*scorer, {.max_lengths = limits(source.ids.size(0), max_length)}, {});
}

/// The sentences of a golden case, and how far and with which special ids they are decoded.
struct GoldenSentences {
  explicit GoldenSentences(const std::string& name) : golden(name, torch::kDouble) {}

  test::GoldenCase golden;
  SpecialIds special = test::special_ids(golden.params());
  PaddedIds batch{golden.input("src"), golden.input("src").ne(special.pad)};
  std::int64_t max_length = golden.params().at("max_len");
};

void check_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b,
                double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    CAPTURE(k);
    CHECK(a[k].ids == b[k].ids);
    CHECK(std::abs(a[k].score - b[k].score) <= tolerance);
  }
}

void check_batched_and_alone(const std::string& name) {
  const GoldenSentences sentences(name);
  const auto& batch = sentences.batch;
  const auto model = golden_model(name, torch::kDouble);
  for (const bool cache : {true, false})
    for (const auto& run : test::golden_list(sentences.golden.json(), "runs")) {
      const auto sentence = run.at("sentence").get<std::int64_t>();
      CAPTURE(cache, sentence, run.at("beam").get<int>(), run.at("alpha").get<double>());
      auto options = test::search_options(run);
      options.cache = cache;
      const auto together = search(model, batch, options, sentences.max_length, sentences.special);
      test::check_n_best(together[static_cast<std::size_t>(sentence)], run.at("nbest"), 1e-9);
      const auto alone = search(model, rows_of(batch, sentence, 1), options, sentences.max_length,
                                sentences.special);
      test::check_n_best(alone[0], run.at("nbest"), 1e-9);
    }
}

}  // namespace

TEST_CASE("a model decodes the golden sentences, batched and one by one", "[golden]") {
  for (const auto& name : test::golden_names("model_decode")) {
    CAPTURE(name);
    check_batched_and_alone(name);
  }
}

TEST_CASE("a model decodes the golden sentences in float32", "[golden]") {
  for (const auto& name : test::golden_names("model_decode")) {
    const GoldenSentences sentences(name);
    const auto model = golden_model(name, torch::kFloat);
    for (const auto& run : test::golden_list(sentences.golden.json(), "runs")) {
      const auto sentence = run.at("sentence").get<std::size_t>();
      CAPTURE(name, sentence);
      const auto found = search(model, sentences.batch, test::search_options(run),
                                sentences.max_length, sentences.special);
      test::check_n_best(found.at(sentence), run.at("nbest"), 1e-4);
    }
  }
}

TEST_CASE("a batch of 200 random sentences gives the results of each alone", "[property]") {
  const auto model = random_model(torch::kFloat, 40);
  const auto batch = random_sentences(200, 40);
  const SearchOptions options{.beam_size = 4, .n_best = 2};
  const auto together = search(model, batch, options, 20);
  for (std::int64_t i = 0; i < 200; ++i) {
    CAPTURE(i);
    check_same(together[static_cast<std::size_t>(i)],
               search(model, rows_of(batch, i, 1), options, 20)[0], 1e-5);
  }
}

TEST_CASE("decoding with cached keys and values equals decoding the whole prefix", "[property]") {
  const auto model = random_model(torch::kDouble, 40);
  const auto batch = random_sentences(40, 40);
  SearchOptions options{.beam_size = 5, .n_best = 5};
  const auto cached = search(model, batch, options, 20);
  options.cache = false;
  const auto whole = search(model, batch, options, 20);
  for (std::size_t i = 0; i < cached.size(); ++i) {
    CAPTURE(i);
    check_same(cached[i], whole[i], 1e-10);
  }
}

TEST_CASE("threads that share a model do not disturb each other", "[property]") {
  const auto model = random_model(torch::kDouble, 40);
  const auto batch = random_sentences(30, 40);
  const SearchOptions options{.beam_size = 3};
  const auto alone = search(model, batch, options, 15);
  std::vector<std::future<std::vector<std::vector<Hypothesis>>>> threads;
  for (int i = 0; i < 4; ++i)
    threads.push_back(
        std::async(std::launch::async, [&] { return search(model, batch, options, 15); }));
  for (auto& thread : threads) {
    const auto found = thread.get();
    for (std::size_t i = 0; i < alone.size(); ++i) check_same(found[i], alone[i], 0.0);
  }
}

// Beam 1 is not greedy search: the end may finish a hypothesis as the second-best extension, as in
// the golden definition.
TEST_CASE("beam 1 at alpha 0 never scores below greedy search", "[property]") {
  const auto model = random_model(torch::kDouble, 40);
  const auto batch = random_sentences(60, 40);
  const auto beam = search(model, batch, {.beam_size = 1, .length_penalty = 0.0}, 20);
  const auto greedy = greedily(model, batch, 20);
  for (std::size_t i = 0; i < beam.size(); ++i) {
    CAPTURE(i);
    if (greedy[i][0].finished) CHECK(beam[i][0].log_prob >= greedy[i][0].log_prob - 1e-12);
  }
}

TEST_CASE("beam 1 in which only the best extension may end is greedy search", "[property]") {
  const auto model = random_model(torch::kDouble, 40);
  const auto batch = random_sentences(60, 40);
  const auto greedy = greedily(model, batch, 20);
  CHECK(std::ranges::count_if(greedy, [](const auto& found) { return found[0].finished; }) > 0);
  for (const auto stopping :
       {EarlyStopping::off, EarlyStopping::estimate, EarlyStopping::beam, EarlyStopping::first})
    for (const double alpha : {0.0, 0.6}) {
      CAPTURE(nlohmann::json(stopping).dump(), alpha);
      const auto beam = search(model, batch,
                               {.beam_size = 1,
                                .length_penalty = alpha,
                                .n_best = 1,
                                .early_stopping = stopping,
                                .strict_beam = true},
                               20);
      for (std::size_t i = 0; i < beam.size(); ++i) {
        CAPTURE(i);
        REQUIRE(beam[i].size() == 1);
        CHECK(beam[i][0].ids == greedy[i][0].ids);
        CHECK(beam[i][0].finished == greedy[i][0].finished);
        CHECK(std::abs(beam[i][0].log_prob - greedy[i][0].log_prob) <= 1e-12);
      }
    }
}

}  // namespace beam_search_model_test

// Heads with known roles, planted in models that are built by hand.
#include "analysis/small_run.h"
#include "dragoman/analysis/head_roles.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/word_relations.h"

#include <torch/nn.h>

#include <algorithm>
#include <map>

namespace planted_roles_test {

using namespace dragoman;

namespace {

constexpr std::int64_t d_k = 24;
constexpr double strength = 40.0;  // of a planted score: its weight is 1 - 1e-3 and more

/// Whole words as pieces.
Tokenizer word_tokenizer() { return test::small_tokenizer(TokenizerType::bpe, 100); }

std::int64_t piece_of(const Tokenizer& tokenizer, const std::string& word) {
  const auto ids = tokenizer.encode(word);
  REQUIRE(ids.size() == 1);
  return ids.front();
}

/// An encoder layer whose scores are 0 until heads are planted: all weights are uniform.
LoadedRun blank_run(Position position, std::int64_t heads) {
  const auto tokenizer = word_tokenizer();
  LoadedRun run{.options = {},
                .vocabulary = {.source = tokenizer, .target = tokenizer, .joint = true},
                .checkpoint = {}};
  auto& options = run.options.model;
  options.d_model = heads * d_k;
  options.d_ff = 8;
  options.num_heads = heads;
  options.encoder_layers = options.decoder_layers = 1;
  options.embed_scale = false;
  options.position = position;
  options.max_positions = d_k;
  options.scale = AttentionScale::none;
  const auto size = tokenizer.vocab_size();
  run.model = Transformer(options, VocabularySizes{.source = size, .target = size});
  run.model->eval();
  const torch::NoGradGuard no_gradient;
  for (auto& item : run.model->named_parameters())
    if (item.key().find("self_attention.") != std::string::npos ||
        item.key().find("embedding") != std::string::npos ||
        item.key().find("positions") != std::string::npos)
      item.value().zero_();
  return run;
}

/// The matrix of a projection of the encoder's attention, for one head: [d_k, d_model].
torch::Tensor head_rows(const LoadedRun& run, const char* projection, std::int64_t head) {
  auto model = run.model;
  const auto& map =
      part<LinearImpl>(*model, attention_place(AttentionPart::encoder, 0) + "." + projection);
  return map.weight().narrow(0, head * d_k, d_k);
}

/// Each word a feature of its own.
std::map<std::string, std::int64_t> plant_words(const LoadedRun& run,
                                                const std::vector<std::string>& words) {
  auto model = run.model;
  std::map<std::string, std::int64_t> features;
  for (const auto& word : words) {
    const auto feature = static_cast<std::int64_t>(features.size());
    source_embedding(*model).weight()[piece_of(run.vocabulary.source, word)][feature] = 1.0;
    features[word] = feature;
  }
  return features;
}

}  // namespace

TEST_CASE("planted syntactic heads have the weight of their own relation, others that of chance",
          "[property]") {
  const torch::NoGradGuard no_gradient;
  constexpr std::int64_t heads = 6;  // the last is left blank
  const auto run = blank_run(Position::none, heads);
  // "the black dog sees on a cat itself"
  const auto feature =
      plant_words(run, {"baten", "ruzo", "koru", "tegal", "shimu", "lamis", "vedo", "plonar"});
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const std::vector<std::pair<std::string, Pairs>> planted = {
      {"adjective-noun", {{"ruzo", "koru"}}},
      {"coreference", {{"plonar", "koru"}}},
      {"determiner-noun", {{"koru", "baten"}, {"vedo", "lamis"}}},
      {"preposition-object", {{"shimu", "vedo"}}},
      {"subject-verb", {{"tegal", "koru"}}}};
  for (std::size_t head = 0; head < planted.size(); ++head) {
    const auto query = head_rows(run, "query", static_cast<std::int64_t>(head));
    const auto key = head_rows(run, "key", static_cast<std::int64_t>(head));
    std::int64_t row = 0;
    for (const auto& [from, to] : planted[head].second) {
      query[row][feature.at(from)] = strength;
      key[row++][feature.at(to)] = 1.0;
    }
  }
  const std::vector<LinePair> sentences = {{"baten ruzo koru tegal shimu lamis vedo plonar", ""},
                                           {"lamis vedo shimu vedo", ""}};
  const std::vector<std::vector<WordPair>> relations = {{{1, 2, "adjective-noun"},
                                                         {7, 2, "coreference"},
                                                         {2, 0, "determiner-noun"},
                                                         {6, 5, "determiner-noun"},
                                                         {3, 2, "subject-verb"},
                                                         {4, 6, "preposition-object"}},
                                                        {{1, 0, "determiner-noun"}}};
  const auto reports = relation_shares(run, sentences, relations);
  REQUIRE(reports.size() == planted.size());
  for (const auto& report : reports) {
    CAPTURE(report.relation);
    CHECK(report.chance < 0.25);
    REQUIRE(report.shares.front().size() == heads);
    for (std::size_t head = 0; head < heads; ++head) {
      CAPTURE(head);
      const bool own = head < planted.size() && planted[head].first == report.relation;
      if (own)
        CHECK(report.shares.front()[head] > 0.99);
      else
        CHECK(report.shares.front()[head] == test::Approx(report.chance).margin(1e-5));
    }
  }
  // The best head of each relation has all but chance of it.
  double chance = 0.0;
  for (const auto& report : reports) chance += static_cast<double>(report.pairs) * report.chance;
  const auto weights = relation_weights(reports);
  REQUIRE(weights.size() == 1);
  CHECK(weights[0] == test::Approx(1.0 - chance / 7.0).margin(0.01));
  CHECK(relation_weights({}).empty());
}

TEST_CASE("planted positional heads of a model are named by their roles", "[property]") {
  const torch::NoGradGuard no_gradient;
  constexpr std::int64_t heads = 5;
  const auto run = blank_run(Position::learned, heads);
  // A feature for each position.
  auto positions = run.model->named_parameters()["positions.weight"];
  positions.narrow(1, 0, d_k).copy_(torch::eye(d_k));
  // The query at position i is answered by the key at position i + offset.
  const auto plant = [&](std::int64_t head, std::int64_t offset) {
    head_rows(run, "query", head).narrow(1, 0, d_k).copy_(strength * torch::eye(d_k));
    auto key = head_rows(run, "key", head);
    for (auto i = std::max<std::int64_t>(0, -offset); i < d_k && i + offset < d_k; ++i)
      key[i][i + offset] = 1.0;
  };
  plant(0, 0);
  plant(1, -1);
  plant(2, 1);
  plant(3, 7);  // the first positions of a sentence of 13 pieces, the others
  plant(3, -6);
  const std::vector<LinePair> pairs = {
      {"baten koru lamis vedo plonar shimu tegal ruzo fenik oralu gipse wendo", ""},
      {"jakur hymen baten koru lamis vedo plonar shimu tegal ruzo fenik oralu", ""}};
  const auto layers = head_statistics(run, pairs);
  REQUIRE(layers.front().kind == AttentionPart::encoder);
  const auto has = [&](std::size_t head, const std::string& role) {
    const auto roles = roles_of(AttentionPart::encoder, layers.front().heads[head]);
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  };
  const std::vector<std::string> of_heads = {"self", "previous", "next", "long range", "spread"};
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t role = 0; role < of_heads.size(); ++role) {
      CAPTURE(head, of_heads[role]);
      CHECK(has(head, of_heads[role]) == (head == role));
    }
  for (std::size_t head = 0; head < 4; ++head) CHECK(has(head, "sharp"));
  CHECK_FALSE(has(4, "sharp"));
}

TEST_CASE("a planted head that reads similar words is named semantic, a blank one is not",
          "[property]") {
  const torch::NoGradGuard no_gradient;
  torch::manual_seed(4);
  constexpr std::int64_t heads = 4;
  const auto run = blank_run(Position::none, heads);
  auto model = run.model;
  // Words of a few groups; those of a group are alike.
  const auto groups = torch::randn({4, d_k});
  auto weight = torch::Tensor(source_embedding(*model).weight());
  for (std::int64_t piece = 0; piece < weight.size(0); ++piece)
    weight[piece].narrow(0, 0, d_k).copy_(groups[piece % 4] + 0.3 * torch::randn({d_k}));
  for (const char* projection : {"query", "key"})
    head_rows(run, projection, 2).narrow(1, 0, d_k).copy_(0.4 * torch::eye(d_k));
  std::vector<LinePair> pairs;
  for (const auto& line : test::synthetic_lines(40)) pairs.push_back({line, ""});
  const auto layers = head_statistics(run, pairs);
  for (std::size_t head = 0; head < heads; ++head) {
    CAPTURE(head, layers.front().heads[head].semantic);
    const auto roles = roles_of(AttentionPart::encoder, layers.front().heads[head]);
    CHECK((std::find(roles.begin(), roles.end(), "semantic") != roles.end()) == (head == 2));
  }
}

}  // namespace planted_roles_test

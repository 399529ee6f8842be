#include "dragoman/analysis/attention_pictures.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"

#include <torch/nn.h>

#include <algorithm>
#include <cmath>

namespace attention_pictures_test {

using namespace dragoman;

namespace {

using Matrix = std::vector<std::vector<double>>;

const LinePair shown_pair = {"baten koru", "lamis vedo."};

/// \param x [rows, columns]
Matrix matrix_of(const at::Tensor& x) {
  const auto numbers = x.detach().to(at::kDouble).contiguous();
  const auto cell = numbers.accessor<double, 2>();
  Matrix matrix(static_cast<std::size_t>(x.size(0)));
  for (std::int64_t i = 0; i < x.size(0); ++i)
    for (std::int64_t j = 0; j < x.size(1); ++j)
      matrix[static_cast<std::size_t>(i)].push_back(cell[i][j]);
  return matrix;
}

/// a b
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b.front().size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix b(a.front().size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) b[j][i] = a[i][j];
  return b;
}

/// Each row divided by its sum.
Matrix shares(Matrix a) {
  for (auto& row : a) {
    double sum = 0.0;
    for (const double x : row) sum += x;
    for (double& x : row) x /= sum;
  }
  return a;
}

Matrix each(Matrix a, double (*f)(double)) {
  for (auto& row : a)
    for (double& x : row) x = f(x);
  return a;
}

double feature(double x) { return x > 0.0 ? x + 1.0 : std::exp(x); }

LoadedRun double_run(const HeadAttention& encoder, const HeadAttention& decoder = {}) {
  auto run = test::small_run(encoder, decoder);
  run.model->to(at::kDouble);
  return run;
}

/// A projection by a head of the first layer of its input: "query" or "key", [len, d_k].
Matrix projected(const LoadedRun& run, AttentionPart kind, std::int64_t head, const char* name) {
  auto model = run.model;
  const auto example = encode_pair(run.vocabulary, shown_pair);
  auto ids = kind == AttentionPart::encoder ? example.source_ids : example.target_ids;
  if (kind == AttentionPart::decoder) {
    ids.pop_back();
    ids.insert(ids.begin(), static_cast<std::int32_t>(run.vocabulary.target.special().bos));
  }
  auto& embedding =
      kind == AttentionPart::encoder ? source_embedding(*model) : target_embedding(*model);
  const auto x = embedding.forward(at::tensor(ids, at::kLong).unsqueeze(0));
  auto& map = part<LinearImpl>(*model, attention_place(kind, 0) + "." + name);
  const auto width = run.options.model.key_width();
  return matrix_of(map.forward(x)[0].narrow(-1, head * width, width));
}

void check_first_layer(const AttentionMap& map, std::int64_t head, const Matrix& expected) {
  REQUIRE(map.queries.size() == expected.size());
  REQUIRE(map.keys.size() == expected.front().size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      CAPTURE(name_of(map.kind), head, i, j);
      CHECK(std::abs(map.weight(0, head, i, j) - expected[i][j]) < 1e-6);
    }
}

std::vector<AttentionPart> kinds_of(const AttentionPicture& picture) {
  std::vector<AttentionPart> kinds;
  for (const auto& map : picture.maps) kinds.push_back(map.kind);
  return kinds;
}

}  // namespace

TEST_CASE("the weights of linear attention are normalised products of features", "[property]") {
  const auto run = double_run({.kind = AttentionKind::linear}, {.kind = AttentionKind::linear});
  const auto picture = attention_pictures(run, std::span(&shown_pair, 1)).front();
  REQUIRE(picture.maps.size() == 3);
  for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder})
    for (const std::int64_t head : {0, 1}) {
      auto pairs = product(each(projected(run, kind, head, "query"), feature),
                           transposed(each(projected(run, kind, head, "key"), feature)));
      for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t j = i + 1; j < pairs.size(); ++j)
          if (kind == AttentionPart::decoder) pairs[i][j] = 0.0;
      check_first_layer(picture.maps[static_cast<std::size_t>(kind)], head, shares(pairs));
    }
}

TEST_CASE("the weights of low-rank attention are the coefficients of each position", "[property]") {
  const auto run = double_run({.kind = AttentionKind::low_rank, .rank = 3, .max_length = 32});
  const auto picture = attention_pictures(run, std::span(&shown_pair, 1)).front();
  const auto& map = picture.maps.front();
  const auto learned = run.model->named_parameters();
  const auto mixtures = [&](const char* name) {
    const auto& all = learned[std::string("encoder.layers.0.self_attention.") + name];
    return matrix_of(all.narrow(1, 0, static_cast<std::int64_t>(map.keys.size())));
  };
  for (const std::int64_t head : {0, 1}) {
    const auto keys =
        product(mixtures("key_mixtures"), projected(run, AttentionPart::encoder, head, "key"));
    auto scores = product(projected(run, AttentionPart::encoder, head, "query"), transposed(keys));
    for (auto& row : scores)
      for (double& score : row) score = std::exp(score / std::sqrt(4.0));
    check_first_layer(map, head, product(shares(scores), mixtures("value_mixtures")));
  }
  CHECK(*std::min_element(map.weights.begin(), map.weights.end()) < 0.0F);
}

TEST_CASE("a picture shows the kinds of attention that the layers have", "[unit]") {
  using Kinds = std::vector<AttentionPart>;
  constexpr auto encoder = AttentionPart::encoder, decoder = AttentionPart::decoder,
                 cross = AttentionPart::cross;
  const auto shown = [](EncoderLayerKind source, DecoderLayerKind target, const LinePair& pair) {
    return kinds_of(
        attention_pictures(test::small_run(source, target), std::span(&pair, 1)).front());
  };
  const LinePair no_target = {shown_pair.source, ""};
  CHECK((shown(EncoderLayerKind::lstm, DecoderLayerKind::attention, shown_pair) ==
         Kinds{decoder, cross}));
  CHECK((shown(EncoderLayerKind::conv, DecoderLayerKind::lstm, shown_pair) == Kinds{cross}));
  CHECK((shown(EncoderLayerKind::attention, DecoderLayerKind::lstm, shown_pair) ==
         Kinds{encoder, cross}));
  CHECK((shown(EncoderLayerKind::conv_attention, DecoderLayerKind::lstm, no_target) ==
         Kinds{encoder}));
  CHECK(shown(EncoderLayerKind::lstm, DecoderLayerKind::attention, no_target).empty());
}

}  // namespace attention_pictures_test

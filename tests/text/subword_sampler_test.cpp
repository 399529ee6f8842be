#include "dragoman/text/subword_sampler.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <cmath>
#include <map>
#include <set>

namespace subword_sampler_test {

using namespace dragoman;
using Ids = std::vector<std::int32_t>;

namespace {

/// Words that share parts, so that a unigram model keeps pieces of several lengths.
Tokenizer unigram_tokenizer() {
  const std::vector<std::string> parts = {"ko", "ru", "la", "mis", "ve", "do", "ten", "ga"};
  std::vector<std::string> lines;
  for (const auto& first : parts)
    for (const auto& second : parts)
      lines.push_back(first + second + " " + second + " " + first + "ru " + first);
  TokenizerOptions options;
  options.type = TokenizerType::unigram;
  options.vocab_size = 40;
  return Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "synthetic text"),
                               "synthetic model");
}

}  // namespace

TEST_CASE("sampled pieces are other pieces of the same text", "[property]") {
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const bool is_bpe = type == TokenizerType::bpe;
    const auto tokenizer = is_bpe ? test::small_tokenizer(type, 60) : unigram_tokenizer();
    const SubwordSampler sampler(tokenizer, is_bpe ? 0.3 : 0.2);
    std::set<Ids> different;
    std::uint64_t key = 0;
    const auto lines =
        is_bpe ? test::synthetic_lines(40) : std::vector<std::string>(40, "koru lamisten vedo ga");
    for (const auto& line : lines) {
      auto ids = tokenizer.encode(line);
      ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
      const auto sampled = sampler.sample(ids, ++key);
      CHECK(tokenizer.decode(sampled) == line);
      CHECK(sampled.back() == ids.back());
      CHECK(sampler.sample(ids, key) == sampled);
      if (sampled != ids) different.insert(sampled);
    }
    CHECK(different.size() > 20);
  }
}

TEST_CASE(
    "with no merge left out BPE cuts as SentencePiece does, with all left out into characters",
    "[property]") {
  const auto tokenizer = test::small_tokenizer(TokenizerType::bpe, 80);
  const SubwordSampler certain(tokenizer, 1e-300), none(tokenizer, 1.0);
  for (const auto& line : test::synthetic_lines(40)) {
    const auto ids = tokenizer.encode(line);
    CHECK(certain.sample(ids, 7) == ids);
    for (const auto id : none.sample(ids, 7)) {
      const auto piece = tokenizer.piece(id);
      CHECK((piece.size() == 1 || piece == "\u2581"));
    }
  }
}

TEST_CASE("a unigram model's segmentations come as often as their probabilities say",
          "[property]") {
  const auto tokenizer = unigram_tokenizer();
  const double power = 0.4;
  const std::string word = "\u2581koru";
  // All segmentations: each of the 4 places between the 5 characters is a cut or is not.
  const std::vector<std::string> characters = {"\u2581", "k", "o", "r", "u"};
  std::map<Ids, double> weights;
  double sum = 0.0;
  for (unsigned cuts = 0; cuts < 16; ++cuts) {
    std::vector<std::string> parts{characters[0]};
    for (unsigned i = 1; i < 5; ++i)
      if (cuts >> (i - 1) & 1U)
        parts.push_back(characters[i]);
      else
        parts.back() += characters[i];
    Ids ids;
    double score = 0.0;
    for (const auto& part : parts) {
      const auto id = tokenizer.id(part);
      if (id == static_cast<std::int32_t>(tokenizer.special().unk)) break;
      ids.push_back(id);
      score += *tokenizer.score(id);
    }
    if (ids.size() != parts.size()) continue;
    weights[ids] = std::exp(power * score);
    sum += weights[ids];
  }
  CAPTURE(weights.size());
  REQUIRE(weights.size() > 2);
  const SubwordSampler sampler(tokenizer, power);
  std::map<Ids, double> counts;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i)
    ++counts[sampler.sample(tokenizer.encode("koru"), static_cast<std::uint64_t>(i))];
  for (const auto& [ids, count] : counts) CHECK(weights.count(ids) == 1);
  for (const auto& [ids, weight] : weights) {
    const double share = weight / sum;
    CAPTURE(ids, share, counts[ids]);
    // Four standard deviations.
    CHECK(std::abs(counts[ids] / draws - share) <
          4.0 * std::sqrt(share * (1.0 - share) / draws) + 1e-9);
  }
}

TEST_CASE("unknown and control pieces stay where they are", "[unit]") {
  const auto tokenizer = test::small_tokenizer(TokenizerType::bpe, 60);
  const auto unk = static_cast<std::int32_t>(tokenizer.special().unk);
  const SubwordSampler sampler(tokenizer, 0.5);
  const auto word = tokenizer.encode("koru");
  Ids ids = word;
  ids.push_back(unk);
  ids.insert(ids.end(), word.begin(), word.end());
  for (std::uint64_t key = 0; key < 20; ++key) {
    const auto sampled = sampler.sample(ids, key);
    CHECK(std::count(sampled.begin(), sampled.end(), unk) == 1);
    CHECK(tokenizer.decode(sampled) == tokenizer.decode(ids));
  }
  CHECK_THROWS_AS(sampler.sample(Ids{60}, 1), ContractError);
}

TEST_CASE("a tokenizer of words or characters has nothing to sample", "[unit]") {
  // A second trainer_spec, { model_type: CHAR }, is merged into the first.
  const auto bytes = test::small_tokenizer().bytes() + "\x12\x02\x18\x04";
  const auto tokenizer = Tokenizer::from_bytes(bytes, "characters");
  CHECK(tokenizer.segmentation() == Segmentation::character);
  CHECK_THROWS_AS(SubwordSampler(tokenizer, 0.1), OptionsError);
}

}  // namespace subword_sampler_test

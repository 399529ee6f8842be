#include "dragoman/data/augmentation.h"

#include "dragoman/data/stream.h"
#include "dragoman/text/language_tags.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <ATen/ATen.h>

namespace augmentation_test {

using namespace dragoman;

namespace {

Vocabulary small_vocabulary() {
  const auto tokenizer = test::small_tokenizer(TokenizerType::bpe, 60);
  return {.source = tokenizer, .target = tokenizer, .joint = true};
}

std::vector<Example> synthetic_examples(const Vocabulary& vocabulary) {
  std::vector<Example> examples;
  for (const auto& line : test::synthetic_lines(60)) {
    auto ids = vocabulary.source.encode(line);
    ids.push_back(static_cast<std::int32_t>(vocabulary.source.special().eos));
    examples.push_back({.source_ids = ids, .target_ids = ids});
  }
  return examples;
}

DataOptions changes(double subword_sampling, double token_dropout, std::int64_t max_length = 256) {
  DataOptions options;
  options.subword_sampling = subword_sampling;
  options.token_dropout = token_dropout;
  options.max_length = max_length;
  return options;
}

StreamOptions augmented(const Vocabulary& vocabulary, const DataOptions& data) {
  return {.limits = {.tokens = 200},
          .shards = 2,
          .seed = 5,
          .source_special = vocabulary.source.special(),
          .target_special = vocabulary.target.special(),
          .augmentation = Augmentation(vocabulary, data)};
}

void check_equal(const UpdateData& one, const UpdateData& other) {
  CHECK(one.counts.source_tokens == other.counts.source_tokens);
  REQUIRE(one.shards.size() == other.shards.size());
  for (std::size_t shard = 0; shard < one.shards.size(); ++shard) {
    REQUIRE(one.shards[shard].size() == other.shards[shard].size());
    for (std::size_t i = 0; i < one.shards[shard].size(); ++i) {
      CHECK(at::equal(one.shards[shard][i].source, other.shards[shard][i].source));
      CHECK(at::equal(one.shards[shard][i].target_input, other.shards[shard][i].target_input));
    }
  }
}

}  // namespace

TEST_CASE("dropped tokens become unknown in the inputs, not in the predicted tokens", "[unit]") {
  const auto vocabulary = small_vocabulary();
  const auto special = vocabulary.source.special();
  const auto examples = synthetic_examples(vocabulary);
  std::vector<const Example*> rows;
  for (const auto& example : examples) rows.push_back(&example);
  const auto whole = make_batch(rows, special, special);
  auto batch = make_batch(rows, special, special);
  Augmentation(vocabulary, changes(0.0, 0.2)).drop_tokens(batch, 3);
  CHECK(at::equal(batch.target_output, whole.target_output));
  const auto text = whole.source_mask.logical_and(whole.source.ne(special.eos));
  const auto dropped = batch.source.ne(whole.source);
  CHECK(batch.source.masked_select(dropped).eq(special.unk).all().item<bool>());
  CHECK_FALSE(dropped.logical_and(text.logical_not()).any().item<bool>());
  const double share = dropped.sum().item<double>() / text.sum().item<double>();
  CHECK(share == test::Approx(0.2).margin(0.04));
  CHECK(batch.target_input.select(1, 0).eq(special.bos).all().item<bool>());
  CHECK(batch.target_input.ne(whole.target_input).any().item<bool>());
}

TEST_CASE("languages are not dropped", "[unit]") {
  DataOptions data = changes(0.0, 0.9);
  data.target_tag = {"de", "nl"};
  const auto vocabulary = with_language_tags(small_vocabulary(), data);
  const auto german = with_languages(vocabulary, {.target = "de"});
  const Example example{.source_ids = german.source.encode("koru vedo lamis wendo"),
                        .target_ids = {5, 6}};
  const std::vector<const Example*> rows(50, &example);
  const auto special = vocabulary.source.special();
  auto batch = make_batch(rows, special, special);
  Augmentation(vocabulary, data).drop_tokens(batch, 3);
  const auto tag = vocabulary.source.id(">>de<<");
  CHECK(batch.source.select(1, 0).eq(tag).all().item<bool>());
  CHECK(batch.source.eq(special.unk).any().item<bool>());
}

TEST_CASE("a side that would exceed the maximum length keeps its pieces", "[unit]") {
  const auto vocabulary = small_vocabulary();
  auto example = synthetic_examples(vocabulary).front();
  const auto before = example.source_ids;
  const auto length = std::ssize(before) - 1;
  const Augmentation tight(vocabulary, changes(1.0, 0.0, length));
  tight.change_pieces(example, 1);
  CHECK(example.source_ids == before);
  const Augmentation wide(vocabulary, changes(1.0, 0.0));
  wide.change_pieces(example, 1);
  CHECK(std::ssize(example.source_ids) > length + 1);
}

TEST_CASE("each epoch reads other pieces, and a resumed training the same ones", "[property]") {
  const auto vocabulary = small_vocabulary();
  const auto examples = synthetic_examples(vocabulary);
  const auto options = augmented(vocabulary, changes(0.3, 0.1));
  TrainingStream whole(examples, options, {});
  std::vector<UpdateData> updates;
  for (std::int64_t i = 0; i < 2 * whole.updates_per_epoch(); ++i) updates.push_back(whole.next());
  const auto middle = whole.updates_per_epoch() / 2;
  TrainingStream later(examples, options, updates[static_cast<std::size_t>(middle - 1)].next);
  for (auto i = middle; i < whole.updates_per_epoch() + middle; ++i)
    check_equal(updates[static_cast<std::size_t>(i)], later.next());
  const auto tokens_of_epoch = [&](std::int64_t epoch) {
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < whole.updates_per_epoch(); ++i)
      tokens += updates[static_cast<std::size_t>(epoch * whole.updates_per_epoch() + i)]
                    .counts.source_tokens;
    return tokens;
  };
  CHECK(tokens_of_epoch(0) != tokens_of_epoch(1));
}

TEST_CASE("a rank reads and counts its own share of the augmented batch", "[property]") {
  const auto vocabulary = small_vocabulary();
  const auto examples = synthetic_examples(vocabulary);
  auto options = augmented(vocabulary, changes(0.3, 0.1));
  TrainingStream both(examples, options, {});
  options.shards = 1;
  options.all_shards = 2;
  options.first_shard = 1;
  TrainingStream second(examples, options, {});
  for (int i = 0; i < 5; ++i) {
    const auto all = both.next();
    const auto own = second.next();
    REQUIRE(own.shards[0].size() == all.shards[1].size());
    for (std::size_t part = 0; part < own.shards[0].size(); ++part)
      CHECK(at::equal(own.shards[0][part].source, all.shards[1][part].source));
    std::int64_t sentences = 0;
    for (const auto& batch : own.shards[0]) sentences += batch.source.size(0);
    CHECK(own.counts.sentences == sentences);
    CHECK(all.counts.sentences > sentences);
  }
}

}  // namespace augmentation_test

#include "dragoman/shortlist/bitext_reader.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/corpus/pair_encoder.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/corpus/training_store.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/language_tags.h"

#include <string>

namespace dragoman {

namespace {

/// Sources of some models do not end with EOS.
std::span<const std::int32_t> before_eos(std::span<const std::int32_t> ids,
                                         const Tokenizer& tokenizer) {
  const bool has_eos = !ids.empty() && ids.back() == tokenizer.special().eos;
  return ids.first(ids.size() - (has_eos ? 1 : 0));
}

void add_without_eos(const Example& example, const Vocabulary& vocabulary, Bitext& text) {
  text.add(before_eos(example.source_ids, vocabulary.source),
           before_eos(example.target_ids, vocabulary.target));
}

void expect_own_tokenizers(const TokenStore& store, const Vocabulary& vocabulary,
                           const std::filesystem::path& path) {
  if (tokenizer_of(store, "source") == sha256_hex(vocabulary.source.bytes()) &&
      tokenizer_of(store, "target") == sha256_hex(vocabulary.target.bytes()))
    return;
  throw DataError(concat(path.string(),
                         ": was encoded with other tokenizers; give the text itself, --source and "
                         "--target"));
}

void log_selection(const Bitext& text) {
  if (text.every() > 1)
    log_info(concat("aligning one in ", text.every(), " sentence pairs: ", text.size()));
  if (text.too_long() > 0)
    log_info(concat("left out ", text.too_long(), " sentence pairs with more than ",
                    Bitext::longest_side, " pieces on a side"));
}

}  // namespace

Bitext read_training_bitext(const std::filesystem::path& folder, const Vocabulary& vocabulary,
                            std::size_t most_pairs) {
  const auto path = folder / token_store_file;
  if (!std::filesystem::exists(path))
    throw DataError(concat(path.string(),
                           ": there is no training text of this run; give it by --source and "
                           "--target, or its folder by --data-cache"));
  const TokenStore store(path, {vocabulary.source.vocab_size(), vocabulary.target.vocab_size()});
  expect_own_tokenizers(store, vocabulary, path);
  constexpr std::size_t pages_kept = 100000;  // pairs
  Bitext text(most_pairs);
  for (std::size_t i = 0; i < store.size(); ++i) {
    add_without_eos(store.example(i), vocabulary, text);
    if (i % pages_kept == 0) store.drop_pages();
  }
  log_selection(text);
  return text;
}

Bitext encode_bitext(const DataOptions& options, const Vocabulary& vocabulary,
                     std::size_t most_pairs) {
  ParallelText files(options.train_source, options.train_target);
  PairEncoder encoder(vocabulary, options);
  Bitext text(most_pairs);
  CorpusReport report;
  Progress progress("encoding the text", "pairs", 0);
  const auto blocks = [&] {
    auto block = files.next_block();
    progress.show(files.pairs());
    return block;
  };
  for (std::size_t file = 0; files.next_file(); ++file) {
    encoder.set_vocabulary(with_languages(vocabulary, languages_of_file(options, file)));
    report += encoder.encode(
        blocks, [&](Example&& example) { add_without_eos(example, vocabulary, text); });
  }
  expect_kept(report, options, corpus_place(options.train_source, options.train_target));
  progress.finish();
  log_selection(text);
  return text;
}

}  // namespace dragoman

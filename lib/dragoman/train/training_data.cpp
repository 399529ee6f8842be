#include "dragoman/train/training_data.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/learn_tokenizer.h"

namespace dragoman {

namespace {

std::string text_hash(const std::vector<LinePair>& pairs) {
  Sha256 hash;
  for (const auto& pair : pairs) {
    for (const auto* side : {&pair.source, &pair.target}) {
      hash.update(*side);
      hash.update("\n");
    }
  }
  return hash.hex_digest();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

nlohmann::json facts_of(const TrainingData& data, const std::vector<LinePair>& pairs,
                        const CorpusReport& report) {
  const auto special = [](const SpecialIds& ids) {
    return nlohmann::json{{"pad", ids.pad}, {"unk", ids.unk}, {"bos", ids.bos}, {"eos", ids.eos}};
  };
  return {{"train_text_sha256", text_hash(pairs)},
          {"train_pairs", report.kept},
          {"source_tokenizer_sha256", sha256_hex(data.vocabulary.source.bytes())},
          {"target_tokenizer_sha256", sha256_hex(data.vocabulary.target.bytes())},
          {"joint", data.vocabulary.joint},
          {"source_vocab_size", data.vocabulary.source.vocab_size()},
          {"target_vocab_size", data.vocabulary.target.vocab_size()},
          {"source_special", special(data.vocabulary.source.special())},
          {"target_special", special(data.vocabulary.target.special())}};
}

}  // namespace

TrainingData prepare_data(const RunOptions& options, const std::optional<Vocabulary>& vocabulary) {
  const auto& files = options.data;
  const auto pairs = read_parallel(files.train_source, files.train_target);
  const auto learn = [&] {
    log_info(concat("learning ", options.tokenizer.vocab_size, " pieces from ", pairs.size(), " pairs"));
    return learn_vocabulary(pairs, options.tokenizer, static_cast<std::uint64_t>(options.seed),
                            joined(files.train_source), joined(files.train_target));
  };
  TrainingData data{.vocabulary = vocabulary ? *vocabulary : learn()};
  auto train = encode_corpus(pairs, data.vocabulary, files,
                             corpus_place(files.train_source, files.train_target));
  log_info(concat("training text: ", train.report.text()));
  data.train = std::move(train.examples);
  data.facts = facts_of(data, pairs, train.report);
  if (files.valid_source.empty()) return data;

  const std::vector<std::string> source{files.valid_source};
  const std::vector<std::string> target{files.valid_target};
  const auto valid_pairs = read_parallel(source, target);
  auto valid = encode_corpus(valid_pairs, data.vocabulary, files, corpus_place(source, target));
  log_info(concat("validation text: ", valid.report.text()));
  data.valid = std::move(valid.examples);
  data.facts["valid_text_sha256"] = text_hash(valid_pairs);
  for (const auto& pair : valid_pairs) {
    data.valid_source.push_back(pair.source);
    data.valid_target.push_back(pair.target);
  }
  return data;
}

}  // namespace dragoman

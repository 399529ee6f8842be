#include "dragoman/train/monolingual_run.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/learn_tokenizer.h"

namespace dragoman {

Tokenizer tokenizer_of(const MonolingualRequest& request, std::span<const std::string> texts) {
  if (const auto checkpoint = CheckpointStore(request.run_dir).newest_good(Damaged::skip))
    return load_vocabulary(checkpoint->path).source;
  if (request.tokenizer) return Tokenizer::load(*request.tokenizer);
  const auto& options = request.options;
  log_info(concat("learning ", options.tokenizer.vocab_size, " pieces from the training text"));
  return Tokenizer::from_bytes(
      learn_tokenizer(texts, options.tokenizer, static_cast<std::uint64_t>(options.seed),
                      options.data.train_source.front()),
      "the learned tokenizer");
}

Vocabulary joint_vocabulary(const Tokenizer& tokenizer) {
  return {.source = tokenizer, .target = tokenizer, .joint = true};
}

}  // namespace dragoman

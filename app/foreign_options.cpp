#include "foreign_options.h"

#include <map>

namespace dragoman::app {

namespace {

using OptionNames = std::vector<std::string>;

const std::vector<std::pair<OptionNames, OptionNames>>& groups() {
  static const std::vector<std::pair<OptionNames, OptionNames>> all = {
      // Search.
      {{"beam", "beams", "num-beams", "b"}, {"--beam-size"}},
      {{"lenpen", "alpha", "normalize", "n", "length-penalty-alpha"},
       {"--length-penalty", "--set search.length_penalty=X"}},
      {{"nbest", "nbest-size", "num-hypotheses", "n-best-list"}, {"--n-best"}},
      {{"sampling", "random-sampling", "output-sampling", "do-sample"}, {"--sample"}},
      {{"sampling-topk", "sampling-top-k", "random-sampling-topk"}, {"--top-k"}},
      {{"sampling-topp", "sampling-top-p", "random-sampling-topp"}, {"--top-p"}},
      {{"sampling-temperature", "random-sampling-temp"}, {"--temperature"}},
      {{"max-len", "max-len-a", "max-len-b", "max-decoding-length", "max-output-length"},
       {"--max-length"}},
      {{"max-length", "max-length-crop", "max-source-positions", "max-target-positions"},
       {"--set data.max_length=N"}},
      {{"no-repeat-ngram-size", "block-ngram-repeat"}, {"--no-repeat-ngram"}},
      {{"disable-unk", "replace-unk", "allow-unk", "replace-unknowns"},
       {"--copy-unknown", "--set search.unknown=keep"}},
      {{"early-stop", "stop-early", "patience"}, {"--early-stopping"}},
      {{"no-early-stopping", "no-early-stop"}, {"--set train.patience=0"}},
      {{"prefix", "prefix-size", "tgt-prefix", "target-prefix-file"}, {"--target-prefix"}},
      {{"print-alignment", "report-align", "align"}, {"--alignment"}},
      {{"word-scores", "with-scores", "score"}, {"--scores"}},
      {{"format", "output-format"}, {"--json"}},
      // Batches, numbers and machines.
      {{"batch-size", "mini-batch", "batch", "bs", "max-tokens", "maxi-batch", "max-batch-size",
        "mini-batch-words"},
       {"--batch-tokens", "--set train.batch_tokens=N"}},
      {{"batch-type"}, {"--batch-tokens"}},
      {{"use-vmap", "vmap", "lexical-table"}, {"--shortlist"}},
      {{"fp16", "bf16", "half", "amp", "compute-type", "int8", "fp32", "dtype"},
       {"--precision NAME", "--set train.precision=bf16", "--quantize NAME"}},
      {{"num-threads", "cpu-threads", "intra-threads", "inter-threads", "num-workers", "threads",
        "j"},
       {"--workers"}},
      {{"gpu", "gpus", "gpu-id", "gpu-ranks", "devices", "cuda", "use-cuda", "cpu", "d",
        "device-index"},
       {"--device"}},
      // Files.
      {{"src", "source", "src-file", "source-file", "input-file", "text"},
       {"--source", "--input", "--train-source", "--text"}},
      {{"tgt", "trg", "target", "tgt-file", "target-file"},
       {"--target", "--reference", "--train-target"}},
      {{"ref", "refs", "references", "reference", "r"}, {"--reference", "--target"}},
      {{"i", "input"}, {"--hypothesis"}},
      {{"hyp", "sys", "hypothesis", "hypotheses", "hyps", "system", "candidate"},
       {"--hypothesis", "--target"}},
      {{"data", "train", "train-sets", "trainpref", "train-path", "t"},
       {"--train-source FILE --train-target FILE", "--text", "--source"}},
      {{"validation-source", "dev-source", "valid-src"}, {"--valid-source"}},
      {{"validation-target", "dev-target", "valid-tgt"}, {"--valid-target"}},
      {{"valid", "valid-sets", "validpref", "dev", "devpref", "valid-data"},
       {"--valid-source FILE --valid-target FILE", "--valid-text"}},
      {{"model-path", "models", "path", "model-dir", "model-file", "ckpt", "load-model"},
       {"--model"}},
      {{"save-dir", "save-model", "output-dir", "out", "output-file", "model-dir", "destdir",
        "out-dir"},
       {"--output"}},
      {{"vocabs", "vocab", "spm", "sentencepiece-model", "bpe", "src-vocab"},
       {"--tokenizer", "--vocab-size"}},
      {{"vocab-size", "dim-vocabs"}, {"--vocab-size", "--set tokenizer.vocab_size=N"}},
      {{"character-coverage", "model-type"}, {"--type"}},
      {{"metric", "m"}, {"--metrics"}},
      {{"tok"}, {"--tokenize"}},
      {{"lc", "lower-case"}, {"--lowercase"}},
      {{"w"}, {"--digits"}},
      // Training.
      {{"lr", "learn-rate", "learning-rate"}, {"--learning-rate"}},
      {{"epochs", "epoch", "max-epoch", "max-epochs", "after-epochs", "num-epochs"},
       {"--set train.max_epochs=N"}},
      {{"max-update", "max-updates", "after-batches", "train-steps", "steps", "updates"},
       {"--max-steps"}},
      {{"stop-time-hours", "time", "timeout"}, {"--max-time", "--seconds"}},
      {{"random-seed", "manual-seed"}, {"--seed"}},
      {{"arch", "a", "size", "type", "task"}, {"--preset"}},
      {{"restore-file", "train-from", "load-checkpoint", "finetune", "pretrained-model"},
       {"--start-from", "--model"}},
      {{"tensorboard-logdir", "tensorboard-log-dir"}, {"--set train.tensorboard=true"}},
      {{"model", "m"}, {"--start-from RUN_DIR"}},
      {{"eval-steps", "eval-interval", "eval-every", "valid-freq", "valid-steps", "valid-interval",
        "validate-interval", "validate-interval-updates", "validation-interval"},
       {"--set train.validate_every=N"}},
      {{"checkpoint-interval", "save-interval"}, {"--set train.checkpoint_every=N"}},
      {{"shared-vocab", "joined-dictionary", "share-vocab"}, {"--set tokenizer.joint=true"}},
      {{"dry-run", "n-dry"}, {"--check"}},
      {{"config-file", "cfg", "yaml"}, {"--config"}},
      {{"option", "override", "opt"}, {"--set KEY=VALUE"}},
      {{"silent", "q"}, {"--quiet"}},
      {{"log-level", "loglevel", "v"}, {"--log"}},
  };
  return all;
}

}  // namespace

std::vector<std::string> ours_for(std::string_view name) {
  static const auto table = [] {
    std::map<std::string, OptionNames, std::less<>> found;
    for (const auto& [theirs, ours] : groups())
      for (const auto& their : theirs)
        found[their].insert(found[their].end(), ours.begin(), ours.end());
    return found;
  }();
  const auto found = table.find(name);
  return found == table.end() ? OptionNames{} : found->second;
}

}  // namespace dragoman::app

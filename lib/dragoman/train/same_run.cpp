#include "dragoman/train/same_run.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/unused_settings.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/stored_state.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace dragoman {

namespace {

/// \param changed what, as words
void warn_of_other_validation(const std::string& changed) {
  log_warning(concat("changed since the last checkpoint: ", changed,
                     "; later validations may not be comparable with the best so far, "
                     "which train.patience and best-METRIC still use"));
}

/// The options by which the same weights would have other translations in validations.
std::vector<std::string> changed_validation(const RunOptions& before, const RunOptions& now) {
  std::vector<std::string> changed;
  if (!now.train.validate_translations || now.data.valid_source.empty()) return changed;
  const nlohmann::json old_options = before, new_options = now;
  const auto compare = [&](const std::string& key) {
    if (has_changed(old_options, new_options, key)) changed.push_back(key);
  };
  compare("train.validate_sentences");
  compare("train.bleu_tokenizer");
  const std::set<std::string> of_no_effect = {"batch_tokens", "cache", "n_best", "precision"};
  for (const auto& [name, value] : new_options.at("search").items())
    if (!of_no_effect.contains(name)) compare("search." + name);
  return changed;
}

/// Adds "KEY OLD (now NEW)" for an option, or for each part of it that differs.
void append_changes(std::vector<std::string>& changes, const std::string& key,
                    const nlohmann::json& before, const nlohmann::json& now) {
  const auto is_in_both = [&now](const auto& part) { return now.contains(part.key()); };
  const auto parts = before.items();
  if (before.is_array() && now.is_array() && before.size() == now.size()) {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != now[i]) append_changes(changes, concat(key, '[', i, ']'), before[i], now[i]);
  } else if (before.is_object() && now.is_object() && before.size() == now.size() &&
             std::all_of(parts.begin(), parts.end(), is_in_both)) {
    for (const auto& [name, value] : parts)
      if (value != now.at(name))
        append_changes(changes, concat(key, '.', name), value, now.at(name));
  } else {
    changes.push_back(
        concat(key, ' ', printable(before.dump(), 40), " (now ", printable(now.dump(), 40), ")"));
  }
}

/// \param identity of a checkpoint
void expect_trained(const nlohmann::json& identity, const std::filesystem::path& run_dir) {
  if (identity.value(text_sha256_key, std::string()).empty())
    throw DataError(concat(run_dir.string(),
                           ": its checkpoint has no training state (averaged, pruned and converted "
                           "runs have none); start a new run from its weights with --start-from, "
                           "or choose another folder"));
}

}  // namespace

void expect_same_run(const RunOptions& now, const Checkpoint& checkpoint,
                     const std::filesystem::path& run_dir, bool has_tokenizer) {
  expect_trained(identity_of_run(checkpoint), run_dir);
  const auto file = checkpoint.path / config_file;
  auto before = read_stored_options(file);
  if (has_tokenizer) before.tokenizer = now.tokenizer;
  const auto keys = changed_fixed_keys(before, now);
  if (keys.empty()) {
    if (const auto changed = changed_validation(before, now); !changed.empty())
      warn_of_other_validation(joined(changed));
    return;
  }
  const nlohmann::json old_values = before, new_values = now;
  std::vector<std::string> changes;
  for (const auto& key : keys) {
    const auto pointer = option_pointer(key);
    append_changes(changes, key, old_values.at(pointer), new_values.at(pointer));
  }
  throw OptionsError(
      concat(run_dir.string(), ": contains a run with other settings: ", joined(changes),
             "; to resume it, leave out the options that set these (also -c and --preset); its own "
             "configuration is in ",
             file.string(), "; to train with them, choose another folder"));
}

void expect_same_files(const nlohmann::json& identity, const std::vector<std::int64_t>& pairs,
                       const std::filesystem::path& run_dir) {
  const auto before = identity.find(file_pairs_key);
  if (before == identity.end() || *before == pairs) return;
  throw DataError(
      concat(run_dir.string(), ": the run was started with files of ", before->dump(),
             " pairs, these have ", nlohmann::json(pairs).dump(),
             "; weights and language tags belong to the files: give the same in the same "
             "order, or choose another folder"));
}

void note_validation_text(nlohmann::json& identity, const nlohmann::json& now) {
  const auto text = [](const nlohmann::json& of) {
    return of.is_object() ? of.value(valid_text_sha256_key, "") : std::string();
  };
  const auto was = text(identity), is = text(now);
  if (!was.empty() && !is.empty() && was != is) warn_of_other_validation("the validation text");
  if (!is.empty()) identity[valid_text_sha256_key] = is;
}

void warn_of_other_shares(const TrainingShares& before, const TrainingShares& now,
                          const std::string& run_dir) {
  if (before.ranks != now.ranks)
    log_warning(concat(run_dir, ": the run had ", before.ranks,
                       before.ranks == 1 ? " process" : " processes", " and resumes with ",
                       now.ranks, ": an update now has the batches of ", now.ranks, " instead of ",
                       before.ranks,
                       ", so the results will not be those of an uninterrupted run, and "
                       "this epoch may repeat pairs or leave some out"));
  else if (before.workers != now.workers)
    log_warning(concat(run_dir, ": the run had ", counted(before.workers, "worker"),
                       " and resumes with ", now.workers,
                       ": each worker draws its own dropout, so the results will not be "
                       "those of an uninterrupted run, which --workers ",
                       before.workers / before.ranks, " would give"));
}

void note_batch_order(nlohmann::json& identity, bool resumes) {
  constexpr int order = 2;  // 1, unwritten: sorted by the target's length
  if (resumes && identity.value("batch_order", 1) != order)
    log_warning(
        "the run was started by a version with another batch order: it resumes, but the results "
        "will not be bit-identical");
  identity["batch_order"] = order;
}

namespace {

/// The options of a model with 0 for each size that is what 0 stands for.
ModelOptions with_usual_sizes(ModelOptions model) {
  const auto heads = model.heads_of(StackSide::decoder);
  if (model.decoder_inner_width() == model.d_ff) model.decoder_d_ff = 0;
  if (model.average_width() == model.d_model) model.average_d_ff = 0;
  if (heads == model.num_heads) model.decoder_num_heads = 0;
  if (heads == model.num_heads && model.d_k * heads == model.d_model) model.d_k = 0;
  if (heads == model.num_heads && model.d_v * heads == model.d_model) model.d_v = 0;
  return model;
}

}  // namespace

std::vector<std::string> changed_model(const std::filesystem::path& checkpoint,
                                       const RunOptions& now) {
  auto before = read_stored_options(checkpoint / config_file), compared = now;
  before.model = with_usual_sizes(before.model);
  compared.model = with_usual_sizes(compared.model);
  auto keys = changed_fixed_keys(before, compared);
  std::erase_if(keys, [](const std::string& key) {
    return !key.starts_with("model.") || key.ends_with("dropout");
  });
  return keys;
}

bool is_seen_in_shapes(const std::string& key) {
  static const std::set<std::string> keys = {"model.d_model",
                                             "model.d_ff",
                                             "model.d_k",
                                             "model.d_v",
                                             "model.decoder_d_ff",
                                             "model.encoder_layers",
                                             "model.decoder_layers",
                                             "model.max_positions",
                                             "model.embedding_norm",
                                             "model.start_vector",
                                             "model.output_bias",
                                             "model.share_embeddings",
                                             "model.attention_bias",
                                             "model.encoder_layer",
                                             "model.decoder_layer",
                                             "model.ssru_output",
                                             "model.average_d_ff",
                                             "model.average_depth",
                                             "model.average_gate",
                                             "model.conv_width"};
  return keys.contains(key);
}

nlohmann::json identity_of_run(const Checkpoint& checkpoint) {
  return read_stored_state(checkpoint.path).identity();
}

namespace {

/// Whether two checkpoints are of one run. If the first one's is gone, it has been moved: then by
/// the name of its folder.
bool is_same_run(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto run_of_a = a.parent_path().parent_path(), run_of_b = b.parent_path().parent_path();
  std::error_code gone;
  if (std::filesystem::exists(run_of_a, gone))
    return std::filesystem::equivalent(run_of_a, run_of_b, gone);
  return run_of_a.filename() == run_of_b.filename();
}

}  // namespace

void expect_same_origin(const Checkpoint& checkpoint, const std::filesystem::path& start_from,
                        const std::filesystem::path& run_dir) {
  const std::filesystem::path own = identity_of_run(checkpoint).value("start_from", std::string());
  if (own == start_from || (!own.empty() && is_same_run(own, start_from))) return;
  throw OptionsError(concat(run_dir.string(), ": holds a run that did not start from ",
                            start_from.string(),
                            "; leave the option out to resume it, or give a new folder"));
}

void expect_same_tokenizers(const Vocabulary& own, const Vocabulary& given,
                            const std::filesystem::path& run_dir) {
  if (given.source.bytes() == own.source.bytes() && given.target.bytes() == own.target.bytes())
    return;
  throw OptionsError(concat(run_dir.string(),
                            ": holds a run with another tokenizer than that of --tokenizer; leave "
                            "the option out to resume it, or give a new folder"));
}

namespace {

/// What differs from the text of the checkpoint, as far as numbers of pairs tell, for the end of a
/// fact; empty if the checkpoint, of an earlier version, does not know them.
std::string difference_from(const nlohmann::json& identity, const TextIdentity& now,
                            const DataOptions& data) {
  const auto before = identity.find(file_pairs_key);
  if (before == identity.end()) return {};
  const auto& pairs = now.pairs;
  if (*before == pairs) return ": its files have as many pairs as then, but other lines";
  if (!before->is_array() || before->size() != pairs.size() ||
      !std::ranges::all_of(*before, &nlohmann::json::is_number_integer) ||
      data.train_source.size() != pairs.size() || data.train_target.size() != pairs.size())
    return concat(": the run had files of ", before->dump(), " pairs, those given have ",
                  nlohmann::json(pairs).dump());
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (const auto then = (*before)[i].get<std::int64_t>(); then != pairs[i])
      changed.push_back(concat(data.train_source[i], " and ", data.train_target[i], " have ",
                               counted(pairs[i], "pair"), " instead of ", grouped(then)));
  return ": " + joined(changed);
}

/// \param difference gives what `difference_from` does
void expect_same_hash(const nlohmann::json& identity, const std::string& now,
                      const std::filesystem::path& run_dir,
                      const std::function<std::string()>& difference) {
  expect_trained(identity, run_dir);
  if (identity.at(text_sha256_key) != now)
    throw DataError(concat(run_dir.string(),
                           ": the training text is not the one this run was started with",
                           difference(), "; use the same text, or choose another folder"));
}

}  // namespace

void expect_same_text(const nlohmann::json& identity, const std::string& now,
                      const std::filesystem::path& run_dir) {
  expect_same_hash(identity, now, run_dir, [] { return std::string(); });
}

void expect_same_text(const nlohmann::json& identity, const TextIdentity& now,
                      const DataOptions& data, const std::filesystem::path& run_dir) {
  expect_same_hash(identity, now.sha256, run_dir,
                   [&] { return difference_from(identity, now, data); });
}

}  // namespace dragoman

#include "dragoman/convert/fairseq.h"

#include "dragoman/convert/fairseq_options.h"
#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/foreign_model.h"
#include "dragoman/convert/huggingface_layers.h"
#include "dragoman/convert/huggingface_weights.h"
#include "dragoman/convert/marian_yaml.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".pt") files.push_back(entry.path());
  return files;
}

fs::path checkpoint_of(const fs::path& folder) {
  const auto files = checkpoints_in(folder);
  if (files.size() != 1)
    throw DataError(concat(folder.string(), ": has ", files.size(),
                           " files that end in .pt; keep only the one to be read"));
  return files.front();
}

/// Lines "TOKEN COUNT" behind the four special tokens.
TokenList dictionary(const fs::path& file, std::int64_t rows) {
  const auto text = read_regular_file(file);
  if (const auto bad = utf8::find_invalid(text))
    throw FormatError(concat(file.string(), ": is not UTF-8 at byte ", *bad));
  TokenList list{.file = file, .tokens = {"<s>", "<pad>", "</s>", "<unk>"}};
  std::unordered_set<std::string> known(list.tokens.begin(), list.tokens.end());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto place = concat(file.string(), ": line ", list.tokens.size() - 3);
    constexpr std::string_view overwrite = " #fairseq:overwrite";
    if (line.ends_with('\r')) line.pop_back();
    const bool replaces = line.ends_with(overwrite);
    if (replaces) line.resize(line.size() - overwrite.size());
    const auto blank = line.rfind(' ');
    if (blank == std::string::npos || blank == 0 || !whole_number(line.substr(blank + 1)))
      throw FormatError(concat(place, ": is not a token and a number"));
    const auto token = line.substr(0, blank);
    if (!known.insert(token).second)
      throw FormatError(concat(place, ": has the token ", printable(token, 40), " again",
                               replaces
                                   ? ", which replaces the first (#fairseq:overwrite); two ids "
                                     "of one token cannot be represented here"
                                   : "; restore the dictionary"));
    list.tokens.push_back(token);
  }
  if (std::ssize(list.tokens) != rows)
    throw FormatError(concat(file.string(), ": has ", list.tokens.size(),
                             " tokens with the four special ones, the model ", rows,
                             " rows; give the dictionary it was trained with"));
  return list;
}

Tokenizer fairseq_side(const fs::path& file, std::int64_t rows, const Tokenizer& tokenizer) {
  const TokenSide side{.list = dictionary(file, rows),
                       .special = {.pad = 1, .unk = 3, .bos = 2, .eos = 2}};
  return side.with_table(tokenizer);
}

/// Learned vectors of positions stand behind those of the ids before padding.
void add_learned_positions(const HuggingFaceWeights& weights, ModelOptions& model,
                           NamedTensors& tensors) {
  const std::string encoder = "model.encoder.embed_positions.weight",
                    decoder = "model.decoder.embed_positions.weight";
  constexpr std::int64_t first_row = 2;  // the id of padding, and one more
  const auto shape = weights.shape(decoder);
  const bool is_table = shape.size() == 2 && shape.front() > first_row;
  const std::vector<std::int64_t> sizes{is_table ? shape.front() : first_row + 1, model.d_model};
  const auto table = weights.tensor(decoder, sizes);
  if (!weights.tensor(encoder, sizes).equal(table))
    throw FormatError(concat(weights.place(), ": ", weights.name_in_file(encoder), " and ",
                             weights.name_in_file(decoder),
                             " differ; this program's models have one table of positions"));
  model.position = Position::learned;
  model.max_positions = table.size(0) - first_row;
  tensors["positions.weight"] = table.narrow(0, first_row, model.max_positions).contiguous();
}

/// The norms behind the embeddings.
void add_embedding_norms(const HuggingFaceWeights& weights, const ModelOptions& model,
                         NamedTensors& tensors) {
  for (const auto& [theirs, ours] : {std::pair{"encoder", "source"}, {"decoder", "target"}})
    for (const char* part : {".weight", ".bias"})
      tensors[concat(ours, "_embedding_norm", part)] =
          weights.tensor(concat("model.", theirs, ".layernorm_embedding", part), {model.d_model});
}

/// Rows of a side's embedding.
std::int64_t fairseq_rows(const HuggingFaceWeights& weights, const char* side) {
  const auto name = concat("model.", side, ".embed_tokens.weight");
  const auto shape = weights.shape(name);
  if (shape.size() != 2)
    throw FormatError(concat(weights.place(), ": ", weights.name_in_file(name),
                             " is not a matrix; it is damaged"));
  return shape[0];
}

/// Fills in the parameters, and what of the model follows from them.
NamedTensors fairseq_tensors(const HuggingFaceWeights& weights, const FairseqOptions& given,
                             ModelOptions& model) {
  auto tensors = huggingface_layers(weights, model);
  if (!given.ties_output() && !weights.has("lm_head.weight"))
    throw FormatError(concat(weights.place(),
                             ": has no decoder.output_projection.weight, which "
                             "share_decoder_input_output_embed would replace"));
  add_huggingface_embeddings(
      weights,
      {.source_rows = fairseq_rows(weights, "encoder"),
       .target_rows = fairseq_rows(weights, "decoder"),
       .shared = given.shares_all(),
       .tied = given.ties_output(),
       .shared_because = "by share_all_embeddings; copy the checkpoint again"},
      model, tensors);
  if (model.embedding_norm) add_embedding_norms(weights, model, tensors);
  if (given.has_learned_positions()) add_learned_positions(weights, model, tensors);
  // Marks of versions, and buffers that hold no weights.
  weights.expect_all_read({"model.encoder.version", "model.decoder.version",
                           "model.encoder.embed_positions._float_tensor",
                           "model.decoder.embed_positions._float_tensor"});
  return tensors;
}

Vocabulary fairseq_vocabulary(const FairseqSource& source, const Languages& languages,
                              const HuggingFaceWeights& weights) {
  const auto spm = source.tokenizers ? *source.tokenizers : tokenizers_beside(source.model_dir);
  const auto side = [&](const std::string& language, const char* name, const Tokenizer& tokenizer) {
    return fairseq_side(source.model_dir / concat("dict.", language, ".txt"),
                        fairseq_rows(weights, name), tokenizer);
  };
  return {.source = side(languages.source, "encoder", spm.source),
          .target = side(languages.target, "decoder", spm.target),
          .joint = false};
}

/// As fairseq searches unless told otherwise, but without the unknown token.
SearchOptions fairseq_search(const ModelOptions& model) {
  constexpr std::int64_t longest = 201;  // 200 and EOS
  SearchOptions search;
  search.length_penalty_kind = LengthPenaltyKind::power;
  search.length_penalty = 1.0;
  search.beam_size = 5;
  search.strict_beam = true;
  search.early_stopping = EarlyStopping::beam;
  search.max_length = std::min(longest, model.longest_sequence());
  return search;
}

}  // namespace

Checkpoint import_fairseq(const FairseqSource& source, const ImportedRun& run) {
  expect_empty_folder(run.dir);
  return naming_origin(source.model_dir, run, [&] {
    const auto file = checkpoint_of(source.model_dir);
    const auto weights = HuggingFaceWeights::of_fairseq(file);
    const FairseqOptions given(weights.fairseq_options(), file.string());
    RunOptions options;
    options.model = given.model();
    expect_possible(options.model, file.string(), file);
    auto tensors = fairseq_tensors(weights, given, options.model);
    expect_possible(options.model, file.string(), file);  // with its learned positions
    options.tokenizer.joint = options.model.has_joint_embedding();
    if (options.model.position == Position::learned)  // the last row is for EOS
      options.data.max_length = std::min(options.data.max_length, options.model.max_positions - 1);
    options.search = fairseq_search(options.model);
    return write_imported_run(
        {.options = options,
         .vocabulary = fairseq_vocabulary(source, given.languages(source.languages), weights),
         .tensors = std::move(tensors),
         .place = weights.place()},
        source.model_dir, run);
  });
}

bool is_fairseq(const fs::path& model_dir) {
  if (checkpoints_in(model_dir).empty()) return false;
  return std::ranges::any_of(fs::directory_iterator(model_dir), [](const auto& entry) {
    const auto name = entry.path().filename().string();
    return name.starts_with("dict.") && name.ends_with(".txt");
  });
}

}  // namespace dragoman

#include "dragoman/analysis/prune.h"

#include "dragoman/analysis/model_parts.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/tensor/initialisation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

/// Expands to one entry per layer, so that each can lose different heads.
void spread(StackAttention& stack, std::int64_t layers) {
  if (stack.layers.size() == 1)
    stack.layers.resize(static_cast<std::size_t>(layers), stack.layers.front());
}

void remove_head(ModelOptions& options, const HeadPlace& place) {
  expect_attention(options, place.kind);
  const auto layers = attention_layers(options, place.kind);
  const auto heads = options.heads_of(side_of(place.kind));
  if (place.layer >= layers || place.head >= heads)
    throw OptionsError(concat("head ", name_of(place), ": this model has ",
                              counted(layers, "such layer"), " of ", counted(heads, "head"),
                              "; choose one of these"));
  auto& stack = attention_options(options, place.kind);
  spread(stack, layers);
  auto& pruned = stack.layers[static_cast<std::size_t>(place.layer)].pruned_heads;
  const auto where = std::lower_bound(pruned.begin(), pruned.end(), place.head);
  if (where != pruned.end() && *where == place.head)
    throw OptionsError(concat("head ", name_of(place),
                              ": is pruned already, or named twice; remove it from the list"));
  pruned.insert(where, place.head);
}

/// The rows of the heads in `kept` within a projection to all heads of `before`.
at::Tensor rows_of(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& kept,
                   std::int64_t width) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (std::binary_search(kept.begin(), kept.end(), before[i]))
      for (std::int64_t column = 0; column < width; ++column)
        rows.push_back(static_cast<std::int64_t>(i) * width + column);
  return at::tensor(rows, at::kLong);
}

/// Reduces the projections of one attention to the heads of `kept`.
/// \param now with num_heads of that attention
void select_heads(NamedTensors& tensors, const std::string& place, const ModelOptions& now,
                  const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& kept) {
  const auto keys = rows_of(before, kept, now.key_width());
  const auto values = rows_of(before, kept, now.value_width());
  const auto select = [&](const std::string& name, std::int64_t dimension, const at::Tensor& rows) {
    const auto found = tensors.find(place + name);
    if (found != tensors.end())
      found->second = found->second.index_select(dimension, rows.to(found->second.device()));
  };
  for (const char* end : {"weight", "bias"}) {
    select(concat(".query.", end), 0, keys);
    select(concat(".key.", end), 0, keys);
    select(concat(".value.", end), 0, values);
  }
  select(".output.weight", 1, values);
  // An attention without heads has nothing to project along the sequence.
  if (kept.empty())
    for (const char* name : {".key_mixtures", ".value_mixtures"}) tensors.erase(place + name);
}

std::string pruned_state(const LoadedRun& run, std::span<const HeadPlace> heads) {
  nlohmann::ordered_json state = {{"format_version", checkpoint_format_version},
                                  {"step", run.step},
                                  {"pruned_from", utf8::replace_invalid(run.checkpoint.string())}};
  state["pruned_heads"] = nlohmann::ordered_json::array();
  for (const auto& head : heads) state["pruned_heads"].push_back(name_of(head));
  return state.dump(2) + "\n";
}

}  // namespace

std::vector<HeadPlace> heads_of(const ModelOptions& options) {
  std::vector<HeadPlace> heads;
  for (const auto& place : attention_sublayers(options))
    for (const auto head : remaining_heads(options, place))
      heads.push_back({place.kind, place.layer, head});
  return heads;
}

std::vector<HeadPlace> in_random_order(std::vector<HeadPlace> heads, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, HeadPlace>> drawn;
  for (const auto& head : heads) drawn.emplace_back(mix(seed, drawn.size()), head);
  std::sort(drawn.begin(), drawn.end());
  std::transform(drawn.begin(), drawn.end(), heads.begin(),
                 [](const auto& one) { return one.second; });
  return heads;
}

std::size_t count_of_share(double fraction, std::size_t heads) {
  return static_cast<std::size_t>(std::lround(fraction * static_cast<double>(heads)));
}

Transformer prune_heads(const TransformerImpl& model, std::span<const HeadPlace> heads) {
  const auto& before = model.options();
  auto now = before;
  for (const auto& head : heads) remove_head(now, head);
  auto tensors = parameters_of(model);
  for (const auto& place : attention_sublayers(before))
    select_heads(tensors, attention_place(place.kind, place.layer),
                 now.with_heads_of(side_of(place.kind)), remaining_heads(before, place),
                 remaining_heads(now, place));
  const SkipInitialisation loaded_instead;
  Transformer pruned(now, model.vocabulary());
  const auto& weight = tensors.begin()->second;
  pruned->to(weight.device(), weight.scalar_type());
  load_parameters(*pruned, tensors, "the pruned model");
  pruned->train(model.is_training());
  return pruned;
}

Checkpoint write_pruned_run(const LoadedRun& run, std::span<const HeadPlace> heads,
                            const std::filesystem::path& out_dir) {
  expect_empty_folder(out_dir);
  const auto pruned = prune_heads(*run.model, heads);
  auto options = run.options;
  options.model = pruned->options();
  return write_new_run(out_dir, run.step, to_text(options), [&](CheckpointWriter& writer) {
    write_model(writer, options, *pruned, run.vocabulary);
    writer.write(state_file, pruned_state(run, heads));
  });
}

}  // namespace dragoman

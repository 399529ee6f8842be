#include "dragoman/run/average.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/run_files.h"

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dragoman {

namespace {

/// Adds the tensors of one file to the sums.
void add(NamedTensors& sums, const NamedTensors& tensors, const std::string& place) {
  for (auto& [name, sum] : sums) {
    const auto found = tensors.find(name);
    if (found == tensors.end() || found->second.sizes() != sum.sizes() ||
        found->second.is_floating_point() != sum.is_floating_point())
      throw FormatError(concat(place, ": tensor ", name,
                               ": is missing or of another shape or type ",
                               "than in the other checkpoints; average checkpoints of one run"));
    if (sum.is_floating_point()) {
      sum.add_(found->second.to(torch::kFloat64));
    } else if (!sum.equal(found->second)) {
      throw FormatError(concat(place, ": tensor ", name,
                               ": integers differ from those of the other ",
                               "checkpoints; average checkpoints of one run"));
    }
  }
  if (tensors.size() != sums.size())
    throw FormatError(concat(place, ": holds ", tensors.size(), " tensors, the other checkpoints ",
                             sums.size(), "; average checkpoints of one run"));
}

/// The sum of the squares of all weights.
double square_norm(const NamedTensors& tensors) {
  double sum = 0.0;
  for (const auto& [name, tensor] : tensors)
    if (tensor.is_floating_point()) sum += tensor.to(torch::kFloat64).square().sum().item<double>();
  return sum;
}

/// The mean of independent vectors is shorter than they are.
/// \param mean,models the square norm of the mean, and that of the models on average
void warn_of_models_apart(double mean, double models) {
  constexpr double least = 0.9;  // checkpoints of one run had 0.98 and more, other seeds below 0.83
  const double ratio = models > 0.0 ? std::sqrt(mean / models) : 1.0;
  if (ratio >= least) return;
  log_warning(concat("average: the norm of the mean is only ", std::lround(100.0 * ratio),
                     " % of the models' norm: they are too far apart, as after training with "
                     "different seeds, and their mean will translate badly; average "
                     "neighbouring checkpoints of one run, or translate with several models "
                     "together (-m A -m B)"));
}

/// The options that the weights are made for: dropout may differ.
nlohmann::json form_of(const RunFiles& files) {
  nlohmann::json form = files.options.model;
  for (const char* place : {"", "embedding_", "residual_", "activation_", "attention_"})
    form.erase(concat(place, "dropout"));
  return form;
}

std::string weight_type_in(const Metadata& metadata) {
  const auto found = metadata.find(weight_type_key);
  return found == metadata.end() ? "float32" : found->second;
}

/// \throws DataError if two model files store their weights in other types
void expect_weight_type(const Metadata& own, const Metadata& other,
                        const std::filesystem::path& file,
                        const std::filesystem::path& other_file) {
  if (weight_type_in(own) == "int8")
    throw DataError(concat(file.string(), ": has int8 weights, whose scales differ; average the ",
                           "float32 checkpoints, then quantise the result"));
  if (weight_type_in(own) == weight_type_in(other)) return;
  throw DataError(concat(file.string(), ": has ", weight_type_in(own), " weights, but ",
                         other_file.string(), ' ', weight_type_in(other),
                         "; average checkpoints with the same type of weights"));
}

bool is_tokenizer(const std::string& name) { return name.starts_with("tokenizer."); }

/// The tokenizers' checksums by file name.
std::map<std::string, std::string> tokenizers_of(const Manifest& manifest) {
  std::map<std::string, std::string> found;
  for (const auto& [name, file] : manifest.files)
    if (is_tokenizer(name)) found[name] = file.sha256;
  return found;
}

/// Verifies all and checks that they share their tokenizers. Returns the last one's manifest.
Manifest verify_all(const std::vector<Checkpoint>& checkpoints) {
  std::vector<Manifest> manifests;
  for (const auto& checkpoint : checkpoints) {
    manifests.push_back(verify_checkpoint(checkpoint.path, Verification::model));
    if (tokenizers_of(manifests.back()) != tokenizers_of(manifests.front()))
      throw FormatError(concat(checkpoint.path.string(), ": its tokenizers differ from those of ",
                               checkpoints.front().path.string(),
                               "; average checkpoints of one run"));
  }
  return manifests.back();
}

std::string state_text(const std::vector<Checkpoint>& sorted) {
  nlohmann::ordered_json state = {{"format_version", checkpoint_format_version},
                                  {"step", sorted.back().step}};
  state["averaged"] = nlohmann::ordered_json::array();
  for (const auto& checkpoint : sorted)
    state["averaged"].push_back(utf8::replace_invalid(checkpoint.path.string()));
  return state.dump(2) + "\n";
}

}  // namespace

NamedTensors average_tensors(const std::vector<std::filesystem::path>& files) {
  NamedTensors sums;
  double squares = 0.0;  // of all weights of all files
  std::map<std::string, at::ScalarType> own_types;
  for (const auto& file : files) {
    const auto tensors = load_tensors(file);
    expect_finite(tensors, file.string());
    squares += square_norm(tensors);
    if (sums.empty()) {
      for (const auto& [name, tensor] : tensors) {
        own_types[name] = tensor.scalar_type();
        sums[name] = tensor.is_floating_point() ? tensor.to(torch::kFloat64) : tensor;
      }
    } else {
      add(sums, tensors, file.string());
    }
  }
  const auto count = static_cast<double>(files.size());
  for (auto& [name, sum] : sums)
    if (sum.is_floating_point()) sum.div_(count);
  warn_of_models_apart(square_norm(sums), squares / count);
  for (auto& [name, sum] : sums) sum = sum.to(own_types.at(name));
  return sums;
}

std::vector<Checkpoint> last_checkpoints(const std::filesystem::path& run_dir, std::int64_t count) {
  auto checkpoints = CheckpointStore(run_dir).list();
  std::erase_if(checkpoints, [](const Checkpoint& checkpoint) { return checkpoint.step == 0; });
  if (checkpoints.empty()) expect_no_foreign_model(run_dir);
  if (checkpoints.empty() && std::filesystem::exists(run_dir / manifest_file))
    throw DataError(concat(run_dir.string(), ": is one checkpoint, of which there is no average; ",
                           "give -m its run's folder, or a second -m"));
  if (checkpoints.empty())
    throw DataError(concat(run_dir.string(), ": has no trained checkpoint; give -m the folder ",
                           "that 'dragoman train' wrote"));
  if (checkpoints.size() > static_cast<std::size_t>(count))
    checkpoints.resize(static_cast<std::size_t>(count));
  return checkpoints;
}

std::vector<Checkpoint> checkpoints_of_runs(const std::vector<std::filesystem::path>& run_dirs,
                                            const std::string& which) {
  std::vector<Checkpoint> checkpoints;
  nlohmann::json first;
  for (const auto& dir : run_dirs) {
    const auto files = open_run(dir, ModelKind::translation, which);
    const auto form = form_of(files);
    if (checkpoints.empty()) first = form;
    for (const auto& [key, value] : form.items())
      if (value != first.at(key))
        throw OptionsError(concat(
            dir.string(), ": model.", key,
            value.is_structured() ? std::string(" is not the same as")
                                  : concat(" is ", value.dump(), ", but ", first.at(key).dump()),
            " in ", run_dirs.front().string(), "; average models of the same architecture"));
    checkpoints.push_back({.step = files.step, .path = files.checkpoint});
  }
  return checkpoints;
}

Checkpoint average_checkpoints(const std::vector<Checkpoint>& checkpoints,
                               const std::filesystem::path& out_dir) {
  if (checkpoints.empty()) throw ContractError("average_checkpoints: nothing to average");
  expect_empty_folder(out_dir);
  auto sorted = checkpoints;
  std::ranges::sort(sorted, {}, &Checkpoint::step);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::filesystem::equivalent(sorted[i].path, sorted[j].path))
        throw OptionsError(concat(sorted[i].path.string(), ": is named twice; name it once"));
  const auto manifest = verify_all(sorted);
  const auto& newest = sorted.back();

  std::vector<std::filesystem::path> files;
  std::ranges::transform(sorted, std::back_inserter(files),
                         [](const Checkpoint& one) { return one.path / model_file; });
  const auto metadata = SafetensorsFile(files.back()).metadata();
  for (const auto& file : files)
    expect_weight_type(SafetensorsFile(file).metadata(), metadata, file, files.back());
  const auto weights = average_tensors(files);
  const auto config = read_regular_file(newest.path / config_file);
  return write_new_run(out_dir, newest.step, config, [&](CheckpointWriter& writer) {
    write_tensors(writer, model_file, weights, metadata);
    writer.write(config_file, config);
    writer.write(state_file, state_text(sorted));
    for (const auto& [name, file] : manifest.files)
      if (is_tokenizer(name)) writer.write(name, read_regular_file(newest.path / name));
  });
}

}  // namespace dragoman

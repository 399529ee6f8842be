#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/planning/check.h"
#include "dragoman/tensor/device.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace dragoman {

namespace {

constexpr std::size_t screen_columns = 80;
constexpr std::size_t name_columns = 12;

std::string whole(double number) { return grouped(std::llround(number)); }

using dragoman::counted;

std::string counted(double number, std::string_view noun) {
  return counted(std::int64_t{std::llround(number)}, noun);
}

/// Words in lines of at most 80 columns, the first after `name`, the others below its text.
std::string paragraph(const std::string& name, std::size_t indent, const std::string& text) {
  std::string out = name + std::string(indent > name.size() ? indent - name.size() : 1, ' ');
  std::size_t at = out.size();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && at + 1 + word.size() > screen_columns) {
      out += '\n' + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out + '\n';
}

std::string row(const std::string& name, const std::string& text) {
  return paragraph(name, name_columns, text);
}

std::string early_end(const RunOptions& options) {
  if (options.train.patience == 0 || options.data.valid_source.empty()) return "";
  return concat("; earlier after ", options.train.patience,
                " validations in a row without improvement (train.patience)");
}

/// "; left out: 43 too long (data.max_length)"; nothing if no pair is.
std::string filtered_text(const TrainingEstimate& estimate) {
  std::string text;
  const auto add = [&text](double pairs, const char* what) {
    if (std::llround(pairs) > 0)
      text += concat(text.empty() ? "; left out: " : ", ", whole(pairs), ' ', what);
  };
  add(estimate.too_long_pairs, "too long (data.max_length)");
  add(estimate.over_ratio_pairs, "over the length ratio (data.max_ratio)");
  return text;
}

std::string time_text(const RunOptions& options, const TrainingEstimate& estimate) {
  const auto seconds = estimate.seconds_per_epoch / std::max(estimate.updates_per_epoch, 1.0);
  std::string text = concat(decimal(seconds, seconds < 10.0 ? 2 : 0), " s per update, ",
                            duration_text(estimate.seconds_per_epoch), " per epoch");
  text += estimate.measured ? concat(" (measured on ", counted(estimate.measured_updates, "update"),
                                     ", ", counted(estimate.workers, "worker"), ")")
                            : concat(" (calculated from ", whole(estimate.matmul_gflops),
                                     " GFLOP/s; ", estimate.not_measured, ")");
  if (options.data.valid_source.empty()) return text;
  text += concat("; a validation ", duration_text(std::ceil(estimate.seconds_per_validation)));
  if (!estimate.measured && options.train.validate_translations)
    text += ", without its translations, whose time is not known";
  return text;
}

std::string shorter_run(const TrainingBudget& budget) {
  constexpr double hour = 3600.0;
  if (budget.seconds <= 1.1 * hour) return "";
  return "; for one hour: --set train.max_seconds=3600";
}

std::string of_free(const std::optional<std::int64_t>& free) {
  return free ? concat(" of ", bytes_text(static_cast<double>(*free)), " free") : std::string();
}

std::string disk_text(const RunOptions& options, const TrainingCheck& check) {
  const auto& [run, data_cache, has_text] = *check.disk;
  const std::string text = has_text ? "the text as ids is there" : "the text as ids";
  const auto in_run = concat("up to ", bytes_text(run.bytes), check.resumes ? " more," : "",
                             of_free(run.free), ": ", options.train.keep_checkpoints,
                             " checkpoints of ", bytes_text(check.estimate->checkpoint_bytes),
                             options.data.valid_source.empty() ? "" : ", the best by each metric");
  if (!data_cache) return concat(in_run, has_text ? "; " : ", ", text);
  return concat(in_run, "; in --data-cache ",
                has_text ? text
                         : concat("up to ", bytes_text(data_cache->bytes),
                                  of_free(data_cache->free), ": ", text));
}

std::string estimate_rows(const RunOptions& options, const TrainingCheck& check) {
  const auto& estimate = *check.estimate;
  const auto& budget = *check.budget;
  const bool resumes = check.resumes;
  const bool on_cpu = find_device(options.train.device).is_cpu();
  return row("model", concat(grouped(estimate.parameters), " parameters; ", check.vocabulary)) +
         row("an epoch",
             concat(counted(estimate.updates_per_epoch, "update"), ", ",
                    counted(estimate.pairs_per_epoch, "pair"), ", ",
                    counted(estimate.pieces_per_epoch, "target piece"), filtered_text(estimate))) +
         row("time", time_text(options, estimate)) +
         row(resumes ? "left" : "requested",
             concat(counted(budget.updates, "update"),
                    resumes ? concat(" after ", whole(check.done.updates)) : std::string(), " (",
                    budget.limit, ") = ",
                    budget.epochs < 10.0 ? concat(std::round(budget.epochs * 10.0) / 10.0)
                                         : whole(budget.epochs),
                    " epochs, about ", duration_text(budget.seconds), early_end(options),
                    shorter_run(budget))) +
         row("memory",
             concat(estimate.memory_fault.empty() ? "about " : "does not fit; calculated: ",
                    bytes_text(estimate.memory_mb * mebibyte),
                    on_cpu ? of_free(check.free_memory) : " of the device")) +
         (check.disk ? row("disk", disk_text(options, check)) : std::string());
}

std::string verdict(const Preflight& texts) {
  if (!texts.problems.empty())
    return concat("Training will be refused: ", counted(std::ssize(texts.problems), "problem"),
                  " above.\n");
  if (texts.warnings.empty()) return "Ready to train: no warnings.\n";
  return concat("Ready to train, with ", counted(std::ssize(texts.warnings), "warning"),
                " above.\n");
}

}  // namespace

std::string TrainingCheck::text(const RunOptions& options) const {
  std::string out = texts.table();
  if (estimate && budget) out += '\n' + estimate_rows(options, *this);
  if (!out.empty() && !(texts.problems.empty() && texts.warnings.empty())) out += '\n';
  for (const auto& problem : texts.problems) out += paragraph("problem:", 9, problem);
  for (const auto& warning : texts.warnings) out += paragraph("WARNING:", 9, warning);
  return out + '\n' + verdict(texts);
}

}  // namespace dragoman

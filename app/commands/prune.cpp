#include "commands/analyze.h"
#include "commands/commands.h"
#include "commands/text_files.h"

#include "dragoman/analysis/prune.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"

#include <iostream>
#include <memory>
#include <optional>
#include <ranges>

namespace dragoman::app {

namespace {

struct Prune {
  AnalyzedRun run;
  std::filesystem::path out_dir;
  double fraction = 0.0;
  std::vector<std::string> names;
  std::string order = "importance";
  AnalyzedText text;  ///< that importance is measured on
  std::optional<std::int64_t> seed;

  std::vector<HeadPlace> chosen(const LoadedRun& loaded) const {
    std::vector<HeadPlace> heads;
    for (const auto& name : names) heads.push_back(head_place(name));
    if (!names.empty()) return heads;
    heads = order == "random" ? in_random_order(heads_of(loaded.options.model),
                                                static_cast<std::uint64_t>(seed.value_or(1)))
                              : heads_by_importance(loaded, text.read(loaded));
    heads.resize(count_of_share(fraction, heads.size()));
    return heads;
  }

  /// \throws OptionsError for a text or a seed that the order of the heads does not depend on
  void expect_meaning() const {
    if (order == "random" && !text.source.empty())
      throw OptionsError(
          "prune --order random: the text is not used; leave --source and --target out");
    if (order != "random" && seed)
      throw OptionsError("prune --seed: is for a random order; add --order random");
    for (const auto& name : names) head_place(name);
    if (names.empty() && order != "random") expect_text();
  }

  void expect_text() const {
    if (text.source.empty() || text.target.empty())
      throw OptionsError(
          "prune: importance is measured on a text; give --source and --target, or --order random");
    text.expect_one_standard_input();
  }

  void execute() const {
    expect_meaning();
    expect_empty_folder(out_dir);
    const auto loaded = run.load();
    if (heads_of(loaded.options.model).empty())
      throw OptionsError("prune: the model has no attention heads that could be removed");
    if (names.empty() && count_of_share(fraction, heads_of(loaded.options.model).size()) == 0)
      throw OptionsError("prune: no head to remove; give a larger --fraction, or --heads");
    const auto heads = chosen(loaded);
    const auto name = [](const HeadPlace& head) { return name_of(head); };
    const auto written = write_pruned_run(loaded, heads, out_dir);
    log_info(concat("removed ", heads.size(), " of ",
                    counted(std::ssize(heads_of(loaded.options.model)), "head"), ": ",
                    joined(heads | std::views::transform(name))));
    std::cout << written.path.string() << '\n';
  }
};

}  // namespace

void add_prune(CLI::App& app) {
  auto command = std::make_shared<Prune>();
  auto* sub = app.add_subcommand("prune",
                                 "Remove attention heads from a trained model: write a smaller "
                                 "run, which 'train --start-from' trains further, and print the "
                                 "path of its checkpoint");
  command->run.add_options(*sub);
  sub->add_option("-o,--output", command->out_dir, "Run folder to make; must be new or empty")
      ->required()
      ->check(a_folder());
  auto* fraction = sub->add_option("--fraction", command->fraction,
                                   "Share of all heads to remove, the least important first")
                       ->check(CLI::Range(0.0, 1.0));
  auto* names = sub->add_option("--heads", command->names,
                                "Heads to remove, separated by blanks or commas: encoder:1.2 is "
                                "the second head of the first layer; decoder:L.H, cross:L.H")
                    ->delimiter(',');
  auto* what = sub->add_option_group("heads to remove");
  what->add_options(fraction, names);
  what->require_option(1);
  sub->add_option(
         "--order", command->order,
         "importance: by the gradients of the heads' gates on the text; random: for comparison")
      ->check(CLI::IsMember({"importance", "random"}))
      ->capture_default_str()
      ->needs(fraction);
  auto* source = command->text.add_optional(*sub)->needs(fraction);
  for (const char* name : {"--device", "--from", "--to"}) sub->get_option(name)->needs(source);
  sub->add_option("--seed", command->seed, "Seed of the random order (default: 1)")
      ->needs(fraction);
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app

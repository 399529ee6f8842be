#include "commands/analyze.h"
#include "commands/text_files.h"

#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/saliency.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/attention_page.h"
#include "dragoman/report/attention_text.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/module_models.h"

#include <memory>
#include <optional>

namespace dragoman::app {

namespace {

struct AnalyzeAttention {
  AnalyzedRun run;
  std::vector<std::string> sentences, targets;
  std::string input, target_file, output;
  std::filesystem::path compared;
  std::string compared_checkpoint;
  std::optional<std::int64_t> layer, head;
  std::optional<std::string> kind;
  std::string format;
  bool without_saliency = false;

  void execute() const {
    const auto read_by_default = sentences.empty() && input.empty() ? "-" : input;
    expect_one_standard_input({{"--input", read_by_default}, {"--target-file", target_file}});
    const auto form = chosen_format();
    if (form != "html") expect_no_page_options();
    for (const auto& read : {read_by_default, target_file}) expect_other_file(output, read);
    expect_writable(output);
    const auto loaded = run.load();
    expect_no_text_of(output, loaded.options.data);
    const auto choice = chosen();
    if (choice.kind) expect_attention(loaded.options.model, *choice.kind);
    std::optional<LoadedRun> other;
    if (!compared.empty()) other = run.load_other(compared, compared_checkpoint);
    const auto [all, lines] = pairs(loaded);
    auto pictures = attention_pictures(loaded, all);
    for (std::size_t i = 0; i < pictures.size(); ++i) pictures[i].line = lines[i];
    const auto title = title_of(run.model, loaded);
    expect_chosen(pictures, choice);
    if (form == "html") return write_page(loaded, other, all, std::move(pictures));
    pictures = with_maps(std::move(pictures));
    keep_chosen(pictures, choice);
    if (form == "json") return write(attention_json(title, pictures, choice) + '\n');
    if (form == "csv") return write(attention_csv(pictures, choice));
    write(attention_blocks(pictures, choice));
  }

  /// As requested, else by the output's extension.
  std::string chosen_format() const {
    if (!format.empty()) return format;
    auto ending = std::filesystem::path(output).extension().string();
    for (auto& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    if (ending == ".htm") return "html";
    for (const std::string known : {"html", "json", "csv"})
      if (ending == '.' + known) return known;
    if (is_picture(ending))
      throw OptionsError(concat("analyze attention: -o ", output,
                                ": there is no such format; name ",
                                "a file that ends in .html, .json, .csv or .txt"));
    return "text";
  }

  /// What only the page can show.
  void expect_no_page_options() const {
    for (const auto& [name, given] :
         {std::pair{"--compare", !compared.empty()}, {"--no-saliency", without_saliency}})
      if (given)
        throw OptionsError(concat(name, ": is for the HTML page; add -f html, or -o FILE.html"));
  }

  static std::string title_of(const std::filesystem::path& model, const LoadedRun& loaded) {
    return concat(model.string(), ", step ", loaded.step);
  }

  /// \param other the compared run, if there is one
  void write_page(const LoadedRun& loaded, const std::optional<LoadedRun>& other,
                  const std::vector<LinePair>& all, std::vector<AttentionPicture> pictures) const {
    AttentionTitles titles = {.run = title_of(run.model, loaded)};
    if (!without_saliency) add_saliency(loaded, all, pictures);
    if (other) {
      titles.compared = title_of(compared, *other);
      auto others = attention_pictures(*other, all);
      for (std::size_t i = 0; i < others.size(); ++i)
        pictures[i].compared = std::move(others[i].maps);
    }
    pictures = with_maps(std::move(pictures));
    write(attention_page(titles, pictures, chosen()));
  }

  /// Without those that show nothing: blank targets, where the encoder has no self-attention.
  static std::vector<AttentionPicture> with_maps(std::vector<AttentionPicture> pictures) {
    std::erase_if(pictures, [](const AttentionPicture& picture) { return picture.maps.empty(); });
    if (pictures.empty())
      throw DataError(
          "analyze attention: every target is blank, and the encoder of this model has no "
          "self-attention; give --target");
    return pictures;
  }

  AttentionChoice chosen() const {
    AttentionChoice choice;
    if (kind) choice.kind = attention_part(*kind);
    if (layer) choice.layer = *layer - 1;
    if (head) choice.head = *head - 1;
    return choice;
  }

  /// Those that are not blank, and their lines from 1.
  std::pair<std::vector<LinePair>, std::vector<std::int64_t>> pairs(const LoadedRun& loaded) const {
    const auto sources = source_lines();
    TargetReminder reminder(loaded.vocabulary.source, loaded.options.data, place());
    for (std::size_t i = 0; i < sources.size(); ++i)
      reminder.tell(static_cast<std::int64_t>(i) + 1, sources[i]);
    std::vector<std::string> given;
    for (const auto& target : targets) given.push_back(clean_argument("--target", target));
    if (!target_file.empty()) given = read_input(target_file, LineUse::translation);
    std::vector<Translation> translations;
    if (targets.empty() && target_file.empty()) translations = translations_by(loaded, sources);
    for (const auto& translation : translations) given.push_back(translation.text());
    if (given.size() != sources.size()) refuse_targets(sources.size(), given.size());
    std::vector<LinePair> all;
    std::vector<std::int64_t> lines;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].empty()) continue;
      all.push_back({sources[i], given[i]});
      lines.push_back(static_cast<std::int64_t>(i) + 1);
    }
    if (all.empty()) throw DataError("analyze attention: there is no sentence; give one");
    warn_of_long(loaded, sources, given, translations);
    return {std::move(all), std::move(lines)};
  }

  [[noreturn]] void refuse_targets(std::size_t sources, std::size_t given) const {
    const auto fact = concat(counted(static_cast<std::int64_t>(sources), "sentence"), " and ",
                             counted(static_cast<std::int64_t>(given), "target"),
                             "; give one target for each sentence, or none");
    if (target_file.empty()) throw OptionsError("--target: " + fact);
    throw DataError(concat(target_file, ": ", fact));
  }

  /// \param translations whose texts the targets are; none if they were given
  void warn_of_long(const LoadedRun& loaded, const std::vector<std::string>& sources,
                    const std::vector<std::string>& shown_targets,
                    const std::vector<Translation>& translations) const {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto fault = fault_of_length(loaded, {sources[i], shown_targets[i]},
                                         translations.empty() ? nullptr : &translations[i]);
      if (!fault.empty() && ++found == 1)
        log_warning(concat(place(), ": line ", i + 1, ": ", fault));
    }
    if (found > 1) log_warning(concat(place(), ": ", found, " such pairs"));
  }

  /// Of the sources, for messages.
  std::string place() const { return sentences.empty() ? text_place(input) : "sentences"; }

  std::vector<std::string> source_lines() const {
    std::vector<std::string> lines;
    for (const auto& sentence : sentences) lines.push_back(clean_argument(place(), sentence));
    if (!sentences.empty()) return lines;
    return read_input(input, LineUse::translation);
  }

  void write(const std::string& text) const { write_output(output, text); }
};

}  // namespace

void add_analyze_attention(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeAttention>();
  auto* sub = analyze.add_subcommand(
      "attention",
      "Show attention weights of sentences: as shades, as an HTML page (with saliency beside "
      "them), "
      "as JSON or CSV. Of linear "
      "attention these are phi(q).phi(k) / their sum; of low_rank the total weight of each "
      "position's value, softmax(Q (E K)^T) F, which may be negative and need not sum to 1. "
      "Layers without attention (lstm, conv) are left out");
  command->run.add_options(*sub);
  auto* text =
      sub->add_option("sentence", command->sentences, "Source sentences (default: those of -i)");
  sub->add_option("-i,--input", command->input,
                  "Text with one source sentence per line; - = standard input, the default")
      ->excludes(text);
  auto* target = sub->add_option("--target", command->targets,
                                 "Target of each sentence (default: the model's translation)")
                     ->type_name("SENTENCE");
  sub->add_option("--target-file", command->target_file,
                  "Text with the targets, line for line; - = standard input")
      ->excludes(target);
  sub->add_option("--kind", command->kind, "encoder, decoder or cross (default: all)")
      ->check(CLI::IsMember({"encoder", "decoder", "cross"}));
  sub->add_option("--layer", command->layer, "Layer, from 1 (default: all; as text the last)");
  sub->add_option("--head", command->head, "Head, from 1 (default: all; as text the mean of all)");
  sub->add_option("-f,--format", command->format,
                  "text, html, json or csv (default: by the output's extension, else text)")
      ->check(CLI::IsMember({"text", "html", "json", "csv"}));
  auto* compare = sub->add_option("--compare", command->compared,
                                  "A second run folder or checkpoint: the page shows both for the "
                                  "same sentences, and the difference of their weights");
  sub->add_option("--compare-checkpoint", command->compared_checkpoint,
                  "Its checkpoint: latest, best-METRIC or step-N (default: as for --checkpoint)")
      ->needs(compare);
  sub->add_flag("--no-saliency", command->without_saliency,
                "Omit the saliency (gradient x input) from the page");
  sub->add_option("-o,--output", command->output,
                  "File to write; - = standard output, the default");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app

#include "commands/analyze.h"

#include "dragoman/analysis/alignment_heads.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/word_relations.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"
#include "dragoman/text/lines.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

namespace dragoman::app {

namespace {

using PieceLists = std::vector<std::vector<std::string>>;

struct AnalyzeAlignment {
  AnalyzedRun run;
  AnalyzedText text;
  std::filesystem::path gold;
  bool pieces = false, all_heads = false, json = false;

  void execute() const {
    if (all_heads && pieces && gold.empty())
      throw OptionsError(
          "--pieces: the table of --all-heads is always of pieces without --gold; "
          "leave it out");
    text.expect_one_standard_input({{"--gold", gold.string()}});
    const auto loaded = run.load();
    std::size_t all_lines = 0;
    const auto lines = text.read_with_blank(loaded, all_lines);
    auto pairs = lines;
    std::erase_if(pairs, AnalyzedText::is_blank);
    PieceLists source, target;
    for (const auto& pair : pairs) {
      source.push_back(text_pieces(loaded.vocabulary.source, pair.source));
      target.push_back(text_pieces(loaded.vocabulary.target, pair.target));
    }
    const auto gold_of_pairs = gold_links(lines, all_lines, source, target);
    auto heads = alignments_of_heads(loaded, pairs);
    if (heads.empty())
      throw OptionsError(
          "analyze alignment: all encoder-decoder heads of the model have been pruned; give a run "
          "with some left");
    if (gold.empty() && pairs.size() < 2)
      log_warning(
          "alignment: one pair does not show which head aligns best; give more pairs, or --gold");
    for (auto& head : heads)
      head.score = gold.empty() ? translation_score(head.sources, source, target)
                                : agreement(links_of(head, source, target), gold_of_pairs);
    std::stable_sort(
        heads.begin(), heads.end(),
        [](const HeadAlignment& a, const HeadAlignment& b) { return a.score > b.score; });
    if (all_heads) return print_heads(heads);
    if (lines.size() < all_lines)
      log_info(concat("alignment: only the first ", lines.size(), " of ", all_lines,
                      " lines are aligned; --limit 0 aligns all"));
    log_info(concat("alignment: by ", name_of_head(heads.front().place), ", ", score_name(), ' ',
                    heads.front().score));
    const auto links = links_of(heads.front(), source, target);
    auto next = links.begin();
    for (const auto& line : lines)
      std::cout << (AnalyzedText::is_blank(line) ? "" : pharaoh_text(*next++)) << '\n';
  }

  /// Of words, or of pieces with --pieces.
  std::int64_t count_of(const std::vector<std::string>& of_line) const {
    return pieces || of_line.empty() ? std::ssize(of_line) : words_of(of_line).back() + 1;
  }

  /// \throws DataError if a gold link is of a word that its pair lacks
  void expect_within(const Links& links, std::int64_t sources, std::int64_t targets,
                     const std::string& place) const {
    const auto* unit = pieces ? "piece" : "word";
    for (const auto& link : links)
      if (link.source >= sources || link.target >= targets)
        throw DataError(concat(place, ": the link ", link.source, '-', link.target,
                               " is outside the pair, which has ", counted(sources, unit), " and ",
                               counted(targets, unit), "; numbers begin at 0"));
  }

  /// Per pair: between words, or between pieces with --pieces.
  std::vector<Links> links_of(const HeadAlignment& head, const PieceLists& source,
                              const PieceLists& target) const {
    std::vector<Links> links;
    for (std::size_t k = 0; k < head.sources.size(); ++k) {
      auto of_pieces = piece_links(head.sources[k]);
      links.push_back(pieces ? std::move(of_pieces) : word_links(of_pieces, source[k], target[k]));
    }
    return links;
  }

  /// Of the pairs that are not blank; none without a file.
  /// \param all_lines of the whole text, for which there may be links, too
  /// \param source, target pieces of the pairs that are not blank
  std::vector<Links> gold_links(const std::vector<LinePair>& pairs, std::size_t all_lines,
                                const PieceLists& source, const PieceLists& target) const {
    if (gold.empty()) return {};
    const auto lines = read_input(gold.string(), LineUse::scoring);
    if (lines.size() != all_lines && lines.size() != pairs.size())
      throw DataError(concat(gold.string(), ": has ", counted(std::ssize(lines), "line"), " for ",
                             counted(static_cast<std::int64_t>(all_lines), "pair"),
                             "; give one for each"));
    std::vector<Links> links;
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (!AnalyzedText::is_blank(pairs[k])) {
        const auto place = concat(gold.string(), ": line ", k + 1);
        const auto n = links.size();
        links.push_back(read_pharaoh(lines[k], place));
        expect_within(links.back(), count_of(source[n]), count_of(target[n]), place);
      }
    return links;
  }

  const char* score_name() const {
    return gold.empty() ? "mean log P(target piece | source piece)" : "1 - alignment error rate";
  }

  static std::string name_of_head(const AlignmentHead& place) {
    return concat("layer ", place.layer + 1, ", head ", place.head + 1,
                  place.when_read ? ", target as input" : ", target as output");
  }

  void print_heads(const std::vector<HeadAlignment>& heads) const {
    if (json) return print_json(heads);
    std::vector<std::vector<std::string>> rows = {{"head", score_name()}};
    for (const auto& head : heads)
      rows.push_back({name_of_head(head.place), decimal(head.score, 4)});
    std::cout << text_table(rows);
  }

  void print_json(const std::vector<HeadAlignment>& heads) const {
    auto rows = nlohmann::json::array();
    for (const auto& [place, sources, score] : heads)
      rows.push_back({{"layer", place.layer + 1},
                      {"head", place.head + 1},
                      {"when", place.when_read ? "input" : "output"},
                      {"score", score}});
    std::cout << nlohmann::json{{"score", score_name()}, {"heads", rows}}.dump(1) << '\n';
  }
};

}  // namespace

void add_analyze_alignment(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeAlignment>();
  auto* sub = analyze.add_subcommand(
      "alignment",
      "Print word alignments (0-0 1-2) by the encoder-decoder head that aligns best on this text");
  command->run.add_options(*sub);
  command->text.add_options(*sub);
  sub->add_option("--gold", command->gold,
                  "Gold word alignments, one line per pair, that choose the head (default: the "
                  "head whose links best predict target from source pieces)");
  sub->add_flag("--pieces", command->pieces, "Align pieces instead of words");
  auto* all = sub->add_flag("--all-heads", command->all_heads,
                            "Print the table of heads with their scores instead");
  sub->add_flag("--json", command->json, "With --all-heads, print it as one JSON object")
      ->needs(all);
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app

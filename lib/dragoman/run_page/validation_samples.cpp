#include "dragoman/run_page/validation_samples.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/svg_frame.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using Json = nlohmann::json;

/// A sentence of a validation text.
using SampleText = std::pair<std::string, std::string>;  // source and reference

SampleText text_of(const Json& sample) {
  return {text_in(sample, "source"), text_in(sample, "reference")};
}

/// The samples of a validation; none if it has no translations.
const Json& samples_of(const Json& validation) {
  static const Json none = Json::array();
  const auto found = validation.find("samples");
  return found == validation.end() ? none : *found;
}

/// The translations of a sentence, each where it changed; of many, evenly spread ones.
std::string translations_of(const RunHistory& run, const SampleText& text) {
  constexpr std::size_t most_shown = 8;
  std::vector<std::pair<std::int64_t, std::string>> changes;
  for (const auto& record : run.validations)
    for (const auto& sample : samples_of(record)) {
      if (text_of(sample) != text) continue;
      auto translation = text_in(sample, "translation");
      if (changes.empty() || changes.back().second != translation)
        changes.emplace_back(record.at("step").get<std::int64_t>(), std::move(translation));
    }
  PageTable table{.headings = {"from update", "translation"}, .text_column = 1};
  const auto shown = std::min(most_shown, changes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [step, translation] =
        changes[shown == 1 ? 0 : i * (changes.size() - 1) / (shown - 1)];
    table.rows.push_back({grouped(step), translation});
  }
  return table.html();
}

}  // namespace

std::string validation_samples(std::span<const RunHistory> runs) {
  std::string html;
  std::vector<SampleText> texts;  // of all runs
  for (const auto& run : runs)
    for (const auto& record : run.validations)
      for (const auto& sample : samples_of(record))
        if (const auto text = text_of(sample); std::ranges::find(texts, text) == texts.end())
          texts.push_back(text);
  for (const auto& text : texts) {
    html += concat("<div class=\"sentence\">\n<p><b>source</b> ", text_element(text.first),
                   "</p>\n<p><b>reference</b> ", text_element(text.second), "</p>\n");
    for (const auto& run : runs) {
      const auto translations = translations_of(run, text);
      html += concat(runs.size() == 1 ? "" : concat("<p><b>", svg_escaped(run.name), "</b></p>\n"),
                     translations.empty() ? "<p>no translation recorded</p>\n" : translations);
    }
    html += "</div>\n";
  }
  return html;
}

}  // namespace dragoman

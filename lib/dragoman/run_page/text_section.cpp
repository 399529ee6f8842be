#include "dragoman/run_page/text_section.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/svg_frame.h"
#include "dragoman/run_page/text_breakdown.h"
#include "dragoman/run_page/text_examples.h"
#include "dragoman/run_page/text_scores.h"

namespace dragoman {

namespace {

std::string titled(const char* title, const std::string& content) {
  return content.empty() ? content : concat("<h3>", title, "</h3>\n", content);
}

}  // namespace

std::string text_section(const ReferencedText& text, std::span<const RunOnText> runs,
                         std::size_t examples) {
  return concat("<section class=\"on-text\">\n<h2>On ", svg_escaped(text.name), "</h2>\n<p>",
                counted(std::ssize(text.source), "line"), ", translated by ",
                runs.size() == 1 ? "the run" : "each run", " and compared with ",
                svg_escaped(text.reference_name), ".</p>\n", text_scores(text, runs),
                titled("By length of the source", length_breakdown(text, runs)),
                titled("By frequency of words", frequency_breakdown(text, runs)),
                titled("Examples", text_examples(text, runs, examples)), "</section>\n");
}

std::string text_section_style() {
  return R"css(.on-text h3 { margin-top: 2rem; } .on-text h4 { margin: 0.2rem 0; }
.on-text h2, .on-text p { overflow-wrap: anywhere; }
.pieces { line-height: 1.25; }
.pieces span { display: inline-block; margin: 0.1rem 0; padding: 0.1rem 0.3rem;
  border-radius: 0.25rem; text-align: center; background: rgb(213 94 0 / calc(0.6 * var(--doubt))); }
.pieces small { display: block; font-size: 0.7rem; }
@media (min-width: 40.01rem) {
  .on-text th, .on-text td { overflow-wrap: normal; }
  .on-text thead tr:first-child th { overflow-wrap: anywhere; }
  .on-text table:first-of-type th:nth-last-child(-n+2) { overflow-wrap: normal; }
}
@media (max-width: 60rem) { .on-text th, .on-text td { padding-right: 0.7rem; } }
@media (max-width: 40rem) {
  .on-text th, .on-text td { padding-right: 0; }
  .on-text td:empty { display: none; }
  .on-text tbody th[data-label]::before { content: attr(data-label) ": "; }
}
)css";
}

}  // namespace dragoman

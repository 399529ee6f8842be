#include "dragoman/report/page_style.h"

namespace dragoman {

const char* page_style() {
  return R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1d2129; --faint: #5d6675; --line: #d8dce3;
  --card: #f7f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16191f; --text: #e6e8ec; --faint: #9aa3b2; --line: #343a46; --card: #1d2129; }
}
body { margin: 2rem auto; padding: 0 1rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
.faint { color: var(--faint); font-size: 0.9rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
.figures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); }
figure { margin: 0.5rem 0; overflow-x: auto; }
figure svg.dg-plot { --paper: var(--back); max-width: 100%; height: auto; }

/* On a phone each row of a table is a block, and plots keep their size and scroll. */
@media (max-width: 40rem) {
  body { margin: 1rem auto; } h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; }
  table, caption, tbody, tr, td, tbody th { display: block; } thead { display: none; }
  td, tbody th { border: 0; }
  figure svg.dg-plot { max-width: none; width: 42rem; }
}
)css";
}

}  // namespace dragoman

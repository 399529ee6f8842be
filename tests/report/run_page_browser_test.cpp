#include "app/small_run.h"
#include "support/browser.h"

#include <regex>
#include <string>
#include <vector>

namespace run_page_browser_test {

namespace {

/// `text` as the value of an attribute.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return '"' + out + '"';
}

/// Two runs: the second with a name that no narrow screen holds in a line, and validations.
struct Runs {
  test::TemporaryDirectory folder;
  std::vector<std::string> paths;

  Runs() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    for (const std::string name : {"one", "another_run_whose_name_is_longer_than_a_telephone_is"}) {
      paths.push_back((folder / name).string());
      const auto trained = test::dragoman(
          test::with(test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(),
                                         paths.back()),
                     {"data.valid_source=" + (folder / "a.src").string(),
                      "data.valid_target=" + (folder / "a.tgt").string(), "train.validate_every=2",
                      "seed=" + std::to_string(paths.size())}));
      REQUIRE(trained.exit_code == 0);
    }
  }

  std::string page(std::size_t count, const std::vector<std::string>& more = {}) const {
    auto arguments = test::with({"report", "-o", (folder / "page.html").string()}, more);
    for (std::size_t i = 0; i < count; ++i) arguments.insert(arguments.end(), {"-m", paths[i]});
    const auto made = test::dragoman(arguments);
    REQUIRE(made.exit_code == 0);
    return test::content_of(folder / "page.html");
  }
};

/// What a script in the page's frame finds: a page may be narrower in a frame than a window can be.
constexpr const char* measure = R"js(
document.getElementById("frame").onload = function () {
  const page = this.contentDocument, root = page.documentElement, found = [];
  const size = (e) => e.getBoundingClientRect();
  for (const e of page.querySelectorAll("body *"))
    if (!e.closest("figure") && size(e).right > root.clientWidth + 1) found.push(e.tagName);
  for (const e of page.querySelectorAll("th")) {
    const line = parseFloat(page.defaultView.getComputedStyle(e).lineHeight);
    if (e.textContent === "from update" && size(e).height > 2 * line) found.push("broken heading");
  }
  for (const e of page.querySelectorAll(".on-text th, .on-text td")) {
    const text = page.createRange();
    text.selectNodeContents(e);
    if (/^\S{1,12}$/.test(e.textContent) && text.getClientRects().length > 1)
      found.push("broken " + e.textContent);
  }
  let smallest = 99;
  for (const svg of page.querySelectorAll("svg"))
    smallest = Math.min(smallest, 12 * size(svg).width / svg.viewBox.baseVal.width);
  document.body.dataset.found = found.join(" ");
  document.body.dataset.wide = root.scrollWidth - root.clientWidth;
  document.body.dataset.letters = smallest.toFixed(1);
  document.body.dataset.figures = page.querySelectorAll("svg").length;
};
)js";

struct Seen {
  std::string outside;  ///< elements that stick out
  double overflow = 0.0, letters = 0.0, figures = 0.0;
};

Seen seen_at(const Runs& runs, const std::string& page, int width) {
  std::ofstream(runs.folder / "frame.html")
      << "<!DOCTYPE html><meta charset=\"utf-8\"><body><iframe id=\"frame\" height=\"900\" width=\""
      << width << "\" style=\"border:0\" srcdoc=" << quoted(page) << "></iframe><script>" << measure
      << "</script></body>";
  const auto document = test::document_of(runs.folder / "frame.html", "", runs.folder / "profile");
  const auto data = [&document](const std::string& name) {
    std::smatch found;
    const std::regex pattern("data-" + name + "=\"([^\"]*)\"");
    REQUIRE(std::regex_search(document, found, pattern));
    return found[1].str();
  };
  return {.outside = data("found"),
          .overflow = std::stod(data("wide")),
          .letters = std::stod(data("letters")),
          .figures = std::stod(data("figures"))};
}

}  // namespace

TEST_CASE("a report's page fits screens of each width, and its figures can be read", "[e2e]") {
  if (test::browser().empty()) return;
  const Runs runs;
  const auto source = runs.folder / "a_text_whose_name_is_longer_than_a_telephone_is.src";
  std::filesystem::copy_file(runs.folder / "a.src", source);
  const std::vector<std::string> text{"--source", source.string(), "--reference",
                                      (runs.folder / "a.tgt").string()};
  for (const std::size_t count : {1U, 2U}) {
    const auto page = runs.page(count, text);
    for (const int width : {320, 390, 768, 1280}) {
      CAPTURE(count, width);
      const auto seen = seen_at(runs, page, width);
      CHECK(seen.outside.empty());
      CHECK(seen.overflow == 0.0);
      CHECK(seen.letters >= 8.0);
      CHECK(seen.figures >= 5.0 + 2.0 + 3.0 * static_cast<double>(count));
    }
  }
}

}  // namespace run_page_browser_test

#include "dragoman/report/attention_page.h"

#include "report/attention_page_in_browser.h"
#include "support/browser.h"

namespace attention_page_view_test {

using namespace dragoman;
using test::drawn_picture;
using test::marks_in;
using test::panel_of;
using test::shown_at;
using test::shows;

TEST_CASE("saliency stands beside the attention, and is not offered where there is none", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  for (int i = 0; i < 12; ++i) picture.maps[0].saliency.push_back(static_cast<float>(i) / 66.0F);
  const auto document = shown_at("#view=heat&layer=1&heads=1&beside=saliency", picture);
  const auto saliency = marks_in(panel_of(document, "saliency"));
  REQUIRE(saliency.size() == 12);
  CHECK(saliency.at({-1, 1, 2}).weight == test::Approx(6.0 / 66.0).margin(1e-6));
  CHECK(marks_in(panel_of(document, "attention")).at({-1, 1, 2}).weight ==
        test::Approx(picture.maps[0].weight(0, 0, 1, 2)).margin(1e-6));
  CHECK(panel_of(shown_at("#view=heat&beside=saliency"), "saliency").empty());
}

TEST_CASE("two runs stand side by side with the difference of their weights", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.compared = picture.maps;
  std::rotate(picture.compared[0].weights.begin(), picture.compared[0].weights.begin() + 4,
              picture.compared[0].weights.end());
  const auto document = shown_at("#view=heat&layer=2&heads=1&beside=compared.difference", picture);
  const auto first = marks_in(panel_of(document, "attention"));
  const auto second = marks_in(panel_of(document, "compared"));
  const auto difference = marks_in(panel_of(document, "difference"));
  REQUIRE(difference.size() == 12);
  for (const auto& [place, mark] : difference)
    CHECK(mark.weight ==
          test::Approx(first.at(place).weight - second.at(place).weight).margin(1e-6));
  CHECK(second.at({-1, 0, 0}).weight ==
        test::Approx(picture.compared[0].weight(1, 0, 0, 0)).margin(1e-6));
}

TEST_CASE("runs of different pieces are compared by words, others are not compared", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].queries = {"▁Schlüs", "sel", "</s>"};
  picture.maps[0].keys = {"▁the", "▁k", "ey", "</s>"};
  picture.compared = picture.maps;
  picture.compared[0].queries = {"▁Schlü", "ssel", "</s>"};
  const auto words = shown_at("#view=heat&beside=difference", picture);
  CHECK(shows(words, "whole words are compared"));
  CHECK(marks_in(panel_of(words, "difference")).size() == 6);
  picture.compared[0].queries = {"▁Tür", "schloss", "</s>"};
  const auto refused = shown_at("#view=heat&beside=difference", picture);
  CHECK(shows(refused, "cannot be compared token by token"));
  CHECK(panel_of(refused, "difference").empty());
  picture.compared[0].queries = picture.maps[0].queries;
  picture.compared[0].layers = 1;
  picture.compared[0].weights.resize(36);
  CHECK(
      shows(shown_at("#view=heat&layer=2&beside=difference", picture), "another has no layer 2."));
}

TEST_CASE("on a phone all labels lie within the picture", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].queries[1] = "▁Donaudampfschifffahrtsgesellschaft";
  picture.maps[0].keys[2] = "▁internationalisation";
  const std::string script =
      "const stage = byId('stage'); stage.style.width = '320px'; draw();"
      "const room = stage.getBoundingClientRect();"
      "const cut = [...stage.querySelectorAll('text')].filter(text => {"
      "  const box = text.getBoundingClientRect();"
      "  return box.left < room.left - 1 || box.right > room.right + 1; });"
      "document.body.dataset.cut = cut.length;"
      "document.body.dataset.texts = stage.querySelectorAll('text').length;";
  for (const char* view : {"#view=lines", "#view=heat", "#view=overview"}) {
    CAPTURE(view);
    const auto document = shown_at(view, picture, script);
    CHECK(shows(document, "data-cut=\"0\""));
    CHECK_FALSE(shows(document, "data-texts=\"0\""));
  }
}

TEST_CASE("a view is saved as an SVG that needs nothing else", "[e2e]") {
  if (test::browser().empty()) return;
  for (const char* view : {"#view=lines", "#view=heat", "#view=overview"}) {
    CAPTURE(view);
    const auto document =
        shown_at(view, drawn_picture(),
                 "const saved = new DOMParser().parseFromString(savedSvg().text, 'image/svg+xml');"
                 "document.body.dataset.root = saved.documentElement.tagName;"
                 "document.body.dataset.variables = savedSvg().text.includes('var(');"
                 "document.body.dataset.caption = [...saved.querySelectorAll('text')]"
                 "  .some(text => text.textContent === byId('caption').textContent);");
    CHECK(shows(document, "data-root=\"svg\""));
    CHECK(shows(document, "data-variables=\"false\""));
    CHECK(shows(document, "data-caption=\"true\""));
  }
}

TEST_CASE("only the ten strongest pairs are named beside the picture", "[e2e]") {
  if (test::browser().empty()) return;
  const std::string script =
      "const create = document.createElement; let named = 0;"
      "document.createElement = tag => { named += tag === 'span'; return create.call(document, "
      "tag); };"
      "explain(scene(), null, null);"
      "document.body.dataset.named = named;"
      "document.body.dataset.rows = byId('detail').querySelectorAll('tr').length;";
  const auto document = shown_at("#view=heat&layer=1&heads=1", drawn_picture(), script);
  CHECK(shows(document, "data-named=\"20\""));  // of 12 pairs
  CHECK(shows(document, "data-rows=\"10\""));
}

TEST_CASE("every choice of the page has a key, and tokens answer to Enter", "[e2e]") {
  if (test::browser().empty()) return;
  const std::string script =
      "const press = (key, on = document.body) =>"
      "  on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));"
      "for (const key of ['1', 'w', 'm', 'x', 'ArrowUp']) press(key);"
      "press('Enter', document.querySelector('.token[tabindex]'));"
      "document.body.dataset.address = location.hash;";
  const auto document = shown_at("#view=heat&layer=2", drawn_picture(), script);
  for (const char* part :
       {"view=lines", "tokens=words", "layer=1", "draw=mean", "rows=exchanged", "pin=row.1"}) {
    CAPTURE(part);
    CHECK(shows(document.substr(document.find("data-address=")), part));
  }
}

}  // namespace attention_page_view_test

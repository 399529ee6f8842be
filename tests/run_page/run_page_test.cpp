#include "dragoman/run_page/run_page.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/run_page/run_figures.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "support/text.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace run_page_test {

using namespace dragoman;

namespace {

using Json = nlohmann::json;

const std::string marked_up = "</style><b>&\"";

/// The folder of a training of so many records.
struct Folder {
  test::TemporaryDirectory folder;

  explicit Folder(const std::string& name, int records = 4,
                  const std::vector<std::string>& settings = {})
      : name_(name) {
    std::filesystem::create_directory(path());
    std::ofstream(path() / "config.json") << to_text(preset_run_options("tiny", settings));
    add({{"event", "start"},
         {"step", 0},
         {"parameters", 123456},
         {"examples", 29000},
         {"unit", "pairs"},
         {"updates_per_epoch", 2},
         {"seed", 1}});
    for (int i = 1; i <= records; ++i) {
      add({{"event", "train"},
           {"step", 10 * i},
           {"epoch", i},
           {"loss", 5.0 / i},
           {"perplexity", 40.0 / i},
           {"gradient_norm", nullptr},
           {"target_tokens", 1000 * i},
           {"seconds", 61.0 * i}});
      add({{"event", "validation"},
           {"step", 10 * i},
           {"loss", 6.0 / i},
           {"bleu", 3.0 * (i % 3)},
           {"samples",
            {{{"source", "Ein Haus " + marked_up},
              {"translation", i < 3 ? "early words" : "a house"},
              {"reference", "A house."}}}}});
    }
  }

  void add(const Json& record) const {
    std::ofstream(path() / "train.jsonl", std::ios::app) << record.dump() << '\n';
  }
  std::filesystem::path path() const { return folder / name_; }

 private:
  std::string name_;
};

std::string page_of(const std::vector<RunHistory>& runs) { return run_page(runs, "1.2.3"); }

}  // namespace

TEST_CASE("a page has a run's facts, best validations, and options that are not the default",
          "[unit]") {
  const Folder folder("little", 4, {"train.warmup_steps=77", "train.consistency=simcut"});
  folder.add({{"event", "end"},
              {"step", 40},
              {"seconds", 250.0},
              {"target_tokens", 4000},
              {"reason", "train.max_steps 40 reached"},
              {"device", "cpu: 2 cores"}});
  const auto page = page_of({read_run_history(folder.path())});
  for (const char* part :
       {"<title>little</title>", "123,456", "29,000 pairs", "4 min 10 s",
        "train.max_steps 40 reached", "cpu: 2 cores", "1.500 at step 40", "6.000 at step 20",
        "train.warmup_steps", ">77<", "train.consistency", ">simcut<", "version 1.2.3"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("train.beta2") == std::string::npos);
  CHECK(page == page_of({read_run_history(folder.path())}));
}

TEST_CASE("a page shows each translation of a sentence from the update on that changed it",
          "[unit]") {
  const Folder folder("little");
  const auto page = page_of({read_run_history(folder.path())});
  CHECK(test::times_in(page, ">early words<") == 1);
  CHECK(test::times_in(page, ">a house<") == 1);
  const auto early = page.find(">early words<"), later = page.find(">a house<");
  CHECK(page.rfind(">10<", early) != std::string::npos);
  CHECK(page.rfind(">30<", later) > early);
  for (const char* text : {"Ein Haus &lt;/style&gt;", "A house.", "early words", "a house"})
    CHECK(test::times_in(page, std::string("<bdi dir=\"auto\">") + text) == 1);
}

TEST_CASE("a page of two runs has both in each table and each figure", "[unit]") {
  const Folder one("one"), other("other", 2, {"train.beta2=0.97"});
  const std::vector runs{read_run_history(one.path()), read_run_history(other.path())};
  const auto page = page_of(runs);
  CHECK(page.find("<title>one and other</title>") != std::string::npos);
  CHECK(page.find("+1.500") != std::string::npos);  // the loss, 1.5 and 3.0
  CHECK(page.find("<td data-label=\"one\">0.98</td><td data-label=\"other\">0.97</td>") !=
        std::string::npos);
  const auto figures = run_figures(runs);
  REQUIRE(figures.size() == 3);  // loss, perplexity, BLEU: what was recorded
  CHECK(test::times_in(figures[0], "class=\"dg-line\"") == 4);
  for (const char* name : {"one, training", "one, validation", "other, training"})
    CHECK(figures[0].find(name) != std::string::npos);
}

TEST_CASE("values that two runs measured on different lines or pieces are not subtracted",
          "[unit]") {
  const auto page_with = [](const std::vector<std::string>& settings) {
    const Folder one("one"), other("other", 2, settings);
    return page_of({read_run_history(one.path()), read_run_history(other.path())});
  };
  const std::string of_loss = "+1.500", of_bleu = "+0.000";
  const auto other_lines = page_with({"data.valid_source=other.en", "data.valid_target=other.de"});
  CHECK(other_lines.find(of_loss) == std::string::npos);
  CHECK(other_lines.find(of_bleu) == std::string::npos);
  CHECK_THAT(other_lines, test::contains("No difference is shown"));
  const auto other_pieces = page_with({"tokenizer.vocab_size=1000"});
  CHECK(other_pieces.find(of_loss) == std::string::npos);
  CHECK(other_pieces.find(of_bleu) != std::string::npos);
  CHECK_THAT(other_pieces, test::contains("No difference is shown"));
  const auto smoother = page_with({"train.label_smoothing=0.2"});
  CHECK(smoother.find(of_loss) == std::string::npos);
  CHECK(smoother.find(of_bleu) != std::string::npos);
  CHECK(page_with({"train.bleu_tokenizer=char"}).find(of_bleu) == std::string::npos);
  CHECK(page_with({"train.beta2=0.97"}).find("No difference is shown") == std::string::npos);
}

TEST_CASE("runs with tokenizers of their own are not compared by the piece", "[unit]") {
  const Folder one("one"), other("other", 2);
  std::vector runs{read_run_history(one.path()), read_run_history(other.path())};
  CHECK_THAT(page_of(runs), test::contains("+1.500"));
  runs[0].pieces = "a tokenizer's";
  CHECK_THAT(page_of(runs), test::contains("+1.500"));
  runs[1].pieces = "another tokenizer's";
  CHECK(page_of(runs).find("+1.500") == std::string::npos);
  CHECK_THAT(page_of(runs), test::contains("No difference is shown") && test::contains("+0.000"));
}

TEST_CASE("runs are shown with their translations of the same sentences only", "[unit]") {
  const Folder one("one"), other("other", 0);
  other.add(
      {{"event", "validation"},
       {"step", 10},
       {"samples", {{{"source", "Ein Hund"}, {"translation", "a dog"}, {"reference", "A dog."}}}}});
  const auto page = page_of({read_run_history(one.path()), read_run_history(other.path())});
  CHECK(test::times_in(page, "<b>source</b>") == 2);
  CHECK(test::times_in(page, "no translation recorded") == 2);
  REQUIRE(page.find("a dog") != std::string::npos);
  CHECK(page.find("a dog") > page.find("Ein Hund"));
}

TEST_CASE("only a page of two runs says where the significance of a difference is from", "[unit]") {
  const Folder one("one"), other("other");
  const auto first = read_run_history(one.path()), second = read_run_history(other.path());
  CHECK(page_of({first, second}).find("dragoman evaluate --hypothesis") != std::string::npos);
  CHECK(page_of({first}).find("dragoman evaluate") == std::string::npos);
}

TEST_CASE("a part that somebody else has made takes the place of the note on significance",
          "[unit]") {
  const Folder one("one"), other("other");
  const std::vector runs{read_run_history(one.path()), read_run_history(other.path())};
  const auto page = run_page(runs, "1.2.3", {.style = ".more { }\n", .html = "<h2>More</h2>\n"});
  CHECK_THAT(page, test::contains(".more { }\n</style>") && test::contains("<h2>More</h2>"));
  CHECK(page.find("dragoman evaluate --hypothesis") == std::string::npos);
  CHECK_THAT(page, test::contains("is tested below"));
}

TEST_CASE("a run without records has a page of its configuration, where that is allowed",
          "[unit]") {
  const Folder folder("made", 0, {"train.warmup_steps=77"});
  std::filesystem::remove(folder.path() / "train.jsonl");
  CHECK_THROWS_WITH(read_run_history(folder.path()), test::contains("train.jsonl: does not exist"));
  const auto page = page_of({read_run_history(folder.path(), WithoutRecords::allowed)});
  CHECK_THAT(page, test::contains("train.warmup_steps") && test::contains("<h1>made</h1>"));
  CHECK(page.find("not yet") == std::string::npos);
}

TEST_CASE("figures have the ends of a long name, and all of it where those are the same",
          "[unit]") {
  const Folder one("a-run-with-a-rather-long-name"), other("little");
  const std::vector runs{read_run_history(one.path()), read_run_history(other.path())};
  CHECK(run_figures(runs)[0].find(">a-run-with-a…long-name, training<") != std::string::npos);
  CHECK(run_figures(runs)[0].find(">little, training<") != std::string::npos);
  const Folder alike("a-run-with-another-long-name");
  const std::vector same{runs[0], read_run_history(alike.path())};
  CHECK(run_figures(same)[0].find(">a-run-with-a-rather-long-name, training<") !=
        std::string::npos);
  CHECK(run_figures(same)[0].find(">a-run-with-another-long-name, training<") != std::string::npos);
}

TEST_CASE("a page needs nothing else, and no text in it becomes markup", "[unit]") {
  const Folder folder("a <run>");
  const auto page = page_of({read_run_history(folder.path())});
  CHECK(page.find(marked_up) == std::string::npos);
  CHECK(page.find("&lt;/style&gt;&lt;b&gt;&amp;") != std::string::npos);
  CHECK(page.find("<title>a &lt;run&gt;</title>") != std::string::npos);
  for (const char* part : {"<script", "src=", "href=", "@import", "url("}) {
    CAPTURE(part);
    CHECK(page.find(part) == std::string::npos);
  }
  CHECK(page.find("width=device-width") != std::string::npos);
}

TEST_CASE("the points of a long training are means of its records", "[unit]") {
  const Folder folder("long", 500);
  const std::vector runs{read_run_history(folder.path())};
  const auto loss = run_figures(runs).front();
  const auto marks = test::times_in(loss, "training: ");
  CHECK(marks > 50);
  CHECK(marks <= 120);
}

TEST_CASE("a record that a crash cut off is passed over, and a folder without records refused",
          "[unit]") {
  const Folder folder("cut");
  std::ofstream(folder.path() / "train.jsonl", std::ios::app) << "{\"event\": \"tr";
  CHECK(read_run_history(folder.path()).train.size() == 4);
  CHECK_THROWS_WITH(read_run_history(folder.folder / "none"),
                    test::contains("train.jsonl: does not exist"));
}

}  // namespace run_page_test

#include "app/small_run.h"
#include "support/catch.h"

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace report_test {

namespace {

const std::string marked_up = "</style><b>&\"";

/// Two runs and a text of which neither knows all characters.
struct ReportedRuns {
  test::TemporaryDirectory folder;
  std::string first = train("first", "1"), second = train("second", "2");
  std::string source =
      write("test.src", "a b c\nd e f g\n\nx y " + marked_up + "\nk l m n o p q\n");
  std::string reference =
      write("test.tgt", "A B C\nD E F G\n\nX Y " + marked_up + "\nK L M N O P Q\n");

  std::string train(const std::string& name, const std::string& seed) const {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    const auto path = (folder / name).string();
    const auto trained = test::dragoman(test::with(
        test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), path),
        {"seed=" + seed, "train.schedule=constant", "train.learning_rate=0.01",
         "train.warmup_steps=10", "train.max_steps=" + std::to_string(150 * std::stoi(seed))}));
    REQUIRE(trained.exit_code == 0);
    return path;
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return (folder / name).string();
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  test::ProcessResult report(const std::vector<std::string>& arguments,
                             const test::ProcessInput& input = {}) const {
    return test::dragoman(test::with({"report", "-o", path("page.html")}, arguments), input);
  }
  std::string page(const std::vector<std::string>& arguments) const {
    const auto made = report(arguments);
    CAPTURE(made.err);
    REQUIRE(made.exit_code == 0);
    return test::content_of(folder / "page.html");
  }
  std::vector<std::string> of_text(const std::vector<std::string>& more = {}) const {
    return test::with({"--source", source, "--reference", reference}, more);
  }
  std::string translated(const std::string& run, const std::string& text) const {
    const auto result = test::dragoman({"translate", "-m", run, "-i", text, "-o", run + ".out"});
    REQUIRE(result.exit_code == 0);
    return run + ".out";
  }
};

const ReportedRuns& reported_runs() {
  static const ReportedRuns runs;
  return runs;
}

std::string evaluated(const std::vector<std::string>& arguments) {
  const auto result = test::dragoman(test::with({"evaluate"}, arguments));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

std::string row_heading(const std::string& name) { return "<th scope=\"row\">" + name + "</th>"; }

}  // namespace

TEST_CASE("a report on a text has the scores and intervals of evaluate", "[e2e]") {
  const auto& runs = reported_runs();
  const auto page = runs.page(runs.of_text({"-m", runs.first}));
  CHECK_THAT(page, test::contains("<h2>On test.src</h2>"));
  const auto scores = evaluated(runs.of_text({"-m", runs.first, "--confidence"}));
  const std::regex line("(BLEU|chrF2|TER)\\|(\\S+) = ([0-9.]+(?: \\(μ[^)]*\\))?)");
  std::size_t seen = 0;
  for (std::sregex_iterator it(scores.begin(), scores.end(), line), end; it != end; ++it, ++seen) {
    CAPTURE(it->str());
    CHECK_THAT(page, test::contains(row_heading((*it)[1]) + "<td>" + (*it)[3].str() + "</td>"));
    CHECK_THAT(page, test::contains((*it)[1].str() + "|" + (*it)[2].str()));
  }
  CHECK(seen == 3);
  std::smatch likelihood;
  REQUIRE(std::regex_search(scores, likelihood,
                            std::regex("nll (\\S+) .*perplexity (\\S+), token accuracy (\\S+ %)")));
  CHECK_THAT(page,
             test::contains(row_heading("nll, nats per piece") + "<td>" + likelihood[1].str()));
  CHECK_THAT(page,
             test::contains(row_heading("perplexity") + "<td>" + likelihood[2].str() + "</td>"));
  CHECK_THAT(
      page, test::contains(row_heading("token accuracy") + "<td>" + likelihood[3].str() + "</td>"));
}

TEST_CASE("a report on a text takes settings of the search, one translation for a line", "[e2e]") {
  const auto& runs = reported_runs();
  const auto with = [&](const std::string& setting) {
    return runs.of_text({"-m", runs.first, "--set", setting});
  };
  CHECK_THAT(runs.page(with("search.beam_size=3")), test::contains("beam of 3,"));
  const auto refused = test::dragoman(
      test::with({"report", "-o", (runs.folder / "no.html").string()}, with("search.n_best=2")));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("n_best"));
}

TEST_CASE("the differences of two runs have the p-values of evaluate --against", "[e2e]") {
  const auto& runs = reported_runs();
  const auto text = runs.path("a.src"), reference = runs.path("a.tgt");  // of 60 lines
  const auto page =
      runs.page({"-m", runs.first, "-m", runs.second, "--source", text, "--reference", reference});
  const auto compared = evaluated({"--hypothesis", runs.translated(runs.second, text), "--against",
                                   runs.translated(runs.first, text), "--reference", reference});
  const std::regex line(" *(BLEU|chrF2|TER): (.*) against (.*), difference (\\S+), p = (\\S+)");
  CHECK_THAT(page, !test::contains("Both give the same translations"));
  std::size_t seen = 0, significant = 0;
  for (std::sregex_iterator it(compared.begin(), compared.end(), line), end; it != end;
       ++it, ++seen) {
    CAPTURE(it->str());
    const auto cell = [](const std::string& name, const std::string& content) {
      return "<td data-label=\"" + name + "\">" + content + "</td>";
    };
    CHECK_THAT(page, test::contains(row_heading((*it)[1]) + cell("first", (*it)[3]) +
                                    cell("second", (*it)[2]) + cell("difference", (*it)[4]) +
                                    cell("p", (*it)[5])));
    const bool differ = (*it)[2] != (*it)[3];
    significant += differ && std::stod((*it)[5]) < 0.05 ? 1 : 0;
  }
  CHECK(seen == 3);
  CHECK((page.find(" is significantly better than ") != std::string::npos) == (significant > 0));
  CHECK((page.find("No significant difference in ") != std::string::npos) == (significant < 3));
  CHECK(page.find("evaluate --hypothesis") == std::string::npos);
}

TEST_CASE("of two runs that translate alike, none is better", "[e2e]") {
  const auto& runs = reported_runs();
  const test::TemporaryDirectory folder;
  std::filesystem::copy(runs.first, folder / "copy", std::filesystem::copy_options::recursive);
  const auto page = runs.page(runs.of_text({"-m", runs.first, "-m", (folder / "copy").string()}));
  CHECK_THAT(page, test::contains("Both give the same translations."));
  CHECK_THAT(page, !test::contains("significantly better"));
}

TEST_CASE("a report on a text breaks its errors down and shows examples of both runs", "[e2e]") {
  const auto& runs = reported_runs();
  const auto page =
      runs.page(runs.of_text({"-m", runs.first, "-m", runs.second, "--examples", "2"}));
  CHECK_THAT(page,
             test::contains("<th scope=\"row\" data-label=\"words of the source\">1 to 5</th>"
                            "<td data-label=\"lines\">2</td><td data-label=\"BLEU, first\">"));
  CHECK_THAT(page, test::contains("<th scope=\"row\" data-label=\"times in the training text\">"));
  CHECK(test::times_in(page, "class=\"dg-heat\"") == 4);
  CHECK(test::times_in(page, "<p class=\"pieces\" dir=\"auto\">") == 4);
  // Two examples, each a source, a reference and two translations.
  CHECK(test::times_in(page, "<bdi dir=\"auto\">") == 8);
  CHECK_THAT(page, test::contains(": the worst</h4>") && test::contains(": the best</h4>"));
  CHECK(page.find(": the median</h4>") == std::string::npos);
}

TEST_CASE("the words of a report are those of the run's training text", "[e2e]") {
  const auto& runs = reported_runs();
  // Each pair of the training text has its first letter once more in capitals.
  const auto lines = runs.write("letters.src", "a\nb\n"),
             same = runs.write("letters.tgt", "A\nQQQ\n");
  const auto text = test::content_of(runs.folder / "a.tgt");
  CHECK(test::times_in(text, "A") > 5);
  const auto checkpoints = std::filesystem::path(runs.first) / "checkpoints";
  const auto checkpoint = std::filesystem::directory_iterator(checkpoints)->path().string();
  for (const auto& model : {runs.first, checkpoint}) {
    CAPTURE(model);
    const auto page = runs.page({"-m", model, "--source", lines, "--reference", same});
    CHECK_THAT(page,
               test::contains("<th scope=\"row\" data-label=\"times in the training text\">0</th>"
                              "<td data-label=\"words of the reference\">1</td>"));
  }
}

TEST_CASE("a report is the same each time, and no text in it becomes markup", "[e2e]") {
  const auto& runs = reported_runs();
  const auto arguments = runs.of_text({"-m", runs.first, "--examples", "9"});
  const auto page = runs.page(arguments);
  CHECK(page == runs.page(arguments));
  CHECK(page.find(marked_up) == std::string::npos);
  CHECK_THAT(page, test::contains("X Y &lt;/style&gt;&lt;b&gt;&amp;&quot;"));
  for (const char* part : {"<script", "src=", "href=", "@import", "url("}) {
    CAPTURE(part);
    CHECK(page.find(part) == std::string::npos);
  }
}

TEST_CASE("a report takes the beginning of a text, and one side of it from standard input",
          "[e2e]") {
  const auto& runs = reported_runs();
  const auto page = runs.page(runs.of_text({"-m", runs.first, "--limit", "2"}));
  CHECK_THAT(page, test::contains("<p>2 lines, translated"));
  test::ProcessInput input;
  input.text = test::content_of(runs.reference);
  const auto made = runs.report(
      {"-m", runs.first, "--source", runs.source, "--reference", "-", "--limit", "2"}, input);
  CHECK(made.exit_code == 0);
  CHECK_THAT(test::content_of(runs.folder / "page.html"),
             test::contains("compared with standard input"));
}

TEST_CASE("a report goes to standard output", "[e2e]") {
  const auto& runs = reported_runs();
  const auto page = test::dragoman({"report", "-m", runs.first, "-o", "-"});
  CHECK(page.exit_code == 0);
  CHECK(page.out == runs.page({"-m", runs.first}));
  CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("a report says of a run without a training that it has no words, and shows the rest",
          "[e2e]") {
  const auto& runs = reported_runs();
  const auto averaged = runs.path("averaged");
  if (!std::filesystem::exists(averaged))
    REQUIRE(test::dragoman({"average", "-m", runs.first, "-m", runs.second, "-o", averaged})
                .exit_code == 0);
  const auto page = runs.page(runs.of_text({"-m", averaged}));
  CHECK_THAT(page, test::contains("averaged: its folder has no training text"));
  CHECK(page.find("times in the training text") == std::string::npos);
  CHECK_THAT(page, test::contains(row_heading("BLEU")));
  const auto refused = runs.report({"-m", averaged});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("train.jsonl: does not exist"));
}

TEST_CASE("a report refuses half a text, and texts that do not fit", "[e2e]") {
  const auto& runs = reported_runs();
  const std::vector<std::vector<std::string>> wrong = {{"--source", runs.source},
                                                       {"--reference", runs.reference},
                                                       {"--limit", "3"},
                                                       {"--examples", "3"},
                                                       {"--checkpoint", "latest"},
                                                       {"--device", "cpu"},
                                                       {"--to", "up"},
                                                       {"--source", "-", "--reference", "-"}};
  for (const auto& arguments : wrong) {
    const auto result = runs.report(test::with({"-m", runs.first}, arguments));
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 2);
  }
  const auto shorter = runs.write("short.tgt", "A B C\n");
  const auto result =
      runs.report({"-m", runs.first, "--source", runs.source, "--reference", shorter});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             test::contains("test.src: has 5 lines, but ") && test::contains("short.tgt has 1;"));
}

}  // namespace report_test

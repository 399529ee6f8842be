#include "dragoman/train/same_run.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <string>

namespace same_run_test {

using dragoman::DataError;
using dragoman::DataOptions;
using dragoman::expect_same_text;
using dragoman::TextIdentity;
using test::contains;

namespace {

DataOptions two_files() {
  DataOptions data;
  data.train_source = {"a.de", "b.de"};
  data.train_target = {"a.en", "b.en"};
  return data;
}

/// The message if the files of `two_files` have the text `now`; empty if it is accepted.
std::string refusal(const nlohmann::json& identity, const TextIdentity& now) {
  try {
    expect_same_text(identity, now, two_files(), "run");
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("another text than that of the run is told by the files whose pairs differ", "[unit]") {
  nlohmann::json identity = {{"train_text_sha256", "old"}};
  const std::string fact = "run: the training text is not the one this run was started with",
                    remedy = "; use the same text, or choose another folder";
  const TextIdentity now{.sha256 = "new", .pairs = {60, 3}};
  CHECK(refusal(identity, now) == fact + remedy);  // of an earlier version

  const auto difference = [&](const nlohmann::json& before) {
    identity["train_file_pairs"] = before;
    const auto message = refusal(identity, now);
    CHECK_THAT(message, contains(fact + ": ") && contains(remedy));
    return message.substr(fact.size() + 2, message.size() - fact.size() - remedy.size() - 2);
  };
  CHECK(difference({60, 2}) == "b.de and b.en have 3 pairs instead of 2");
  CHECK(difference({3, 60}) ==
        "a.de and a.en have 60 pairs instead of 3, b.de and b.en have 3 pairs instead of 60");
  CHECK(difference({60, 3}) == "its files have as many pairs as then, but other lines");
  CHECK(difference({20, 40, 3}) == "the run had files of [20,40,3] pairs, those given have [60,3]");
  CHECK(difference("damaged") == "the run had files of \"damaged\" pairs, those given have [60,3]");
}

TEST_CASE("the same text is accepted however it is cut into files", "[unit]") {
  const nlohmann::json identity = {{"train_text_sha256", "same"}, {"train_file_pairs", {1, 62}}};
  CHECK(refusal(identity, {.sha256 = "same", .pairs = {60, 3}}).empty());
  CHECK_THROWS_AS(expect_same_text(nlohmann::json::object(), {}, two_files(), "run"), DataError);
}

}  // namespace same_run_test

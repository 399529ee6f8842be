#pragma once

#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

#include <string>
#include <vector>

namespace test {

/// A trained model that turns letters into capitals, and its text.
struct Teacher {
  TemporaryDirectory folder;
  std::string small = (folder / "small").string(), capital = (folder / "capital").string(),
              path = (folder / "teacher").string();

  explicit Teacher(const std::vector<std::string>& more = {}) {
    write_letters(small, capital);
    const auto trained = dragoman(with(
        with(tiny_training(small, capital, path),
             {"model.d_model=32", "model.dropout=0", "model.norm=pre", "train.max_steps=250",
              "train.warmup_steps=50", "train.learning_rate=0.005", "train.schedule=inverse_sqrt"}),
        more));
    CAPTURE(trained.err);
    REQUIRE(trained.exit_code == 0);
  }

  std::string in(const std::string& name) const { return (folder / name).string(); }

  /// The arguments of a student's training: those of `tiny_training` without its command.
  std::vector<std::string> command(const std::string& name, const std::string& run,
                                   const std::vector<std::string>& more) const {
    auto arguments = tiny_training(small, capital, run);
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin(), {name, "-m", path});
    arguments.insert(arguments.end(), {"train.workers=1", "train.checkpoint_every=2"});
    return with(arguments, more);
  }
};

}  // namespace test

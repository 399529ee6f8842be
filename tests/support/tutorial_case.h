#pragma once

#include "support/golden.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace test {

/// A case of golden/seeds.json. It notes which parts of "correct" are compared or read, so that
/// none is overlooked.
class TutorialCase {
 public:
  explicit TutorialCase(const std::string& id) : stored_(worked_example(id)) {}

  const nlohmann::json& json() const { return stored_; }
  const nlohmann::json& all_correct() const { return stored_.at("correct"); }
  const nlohmann::json& input(const std::string& name) const {
    return stored_.at("inputs").at(name);
  }
  at::Tensor input_tensor(const std::string& name) const { return plain_tensor(input(name)); }
  /// The number that follows `name` in the definition.
  double stated(const std::string& name) const { return stated_number(stored_, name); }
  std::int64_t stated_size(const std::string& name) const {
    return static_cast<std::int64_t>(stated(name));
  }

  /// A part of "correct", noted as read. \param path such as "total" or "samples/0/n"
  const nlohmann::json& correct(const std::string& path) {
    read_.push_back("/" + path);
    return all_correct().at(nlohmann::json::json_pointer(read_.back()));
  }

  /// Compares numbers within the tolerance of the golden values.
  void check(const std::string& path, const at::Tensor& actual, const Tolerance& tolerance = {}) {
    CAPTURE(path);
    const auto expected = plain_tensor(correct(path));
    CHECK_THAT(actual.detach().to(at::kDouble), close_to(expected, tolerance));
  }
  void check(const std::string& path, double actual) {
    check(path, at::scalar_tensor(actual, at::kDouble));
  }

  /// Compares integers, words, or lists of these.
  void check_equal(const std::string& path, const nlohmann::json& actual) {
    CAPTURE(path);
    CHECK(correct(path) == actual);
  }

  /// Notes a text that explains and has no number.
  void is_prose(const std::string& path) {
    CAPTURE(path);
    const auto text = correct(path).get<std::string>();
    CHECK(std::none_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; }));
  }

  /// The numbers and texts of "correct" that were not read.
  std::vector<std::string> unread() const {
    std::vector<std::string> paths;
    const auto leaves = all_correct().flatten();
    for (const auto& [path, value] : leaves.items())
      if (std::none_of(read_.begin(), read_.end(), [&path = path](const std::string& read) {
            return path == read || path.starts_with(read + "/");
          }))
        paths.push_back(path);
    return paths;
  }

 private:
  nlohmann::json stored_;
  std::vector<std::string> read_;
};

}  // namespace test

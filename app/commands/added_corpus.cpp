#include "commands/added_corpus.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

/// A language of the synthetic text: the one that was named, if others have it, or theirs. None if
/// they have several.
/// \param side "source" or "target"
std::string synthetic_tag(const std::vector<std::string>& tags, const std::string& language,
                          const char* side) {
  if (std::ranges::find(tags, language) != tags.end()) return language;
  if (std::ranges::count(tags, tags.front()) == std::ssize(tags)) return tags.front();
  log_warning(concat("data.", side, "_tag: the other texts have several ", side,
                     " languages, and that of the synthetic text is not known; the synthetic text "
                     "gets no tag"));
  return {};
}

/// \throws OptionsError if the synthetic text was translated into a language that no other text has
void expect_known_target(const std::vector<std::string>& tags, const std::string& language) {
  std::set<std::string> known(tags.begin(), tags.end());
  if (language.empty() || known.contains(language)) return;
  known.erase("");
  throw OptionsError(concat("data.target_tag: is ", joined(known),
                            " for the other texts, but the synthetic text is in ", language,
                            "; name its tag by --target-tag"));
}

/// Adds the tag of one more text. \param files before it
void add_tag(std::vector<std::string>& tags, const std::string& tag, std::size_t files) {
  if (tags.empty() && tag.empty()) return;
  tags.resize(files);
  tags.push_back(tag);
}

}  // namespace

void add_corpus(DataOptions& data, const AddedCorpus& corpus) {
  const auto files = data.train_source.size();
  const auto source = language_code(corpus.languages.source),
             target = language_code(corpus.languages.target);
  if (!data.weights.empty()) data.weights.push_back(1.0);
  if (corpus.target_tag) {
    add_tag(data.target_tag, *corpus.target_tag, files);
  } else if (!data.target_tag.empty()) {
    expect_known_target(data.target_tag, target);
    add_tag(data.target_tag, synthetic_tag(data.target_tag, target, "target"), files);
  }
  if (corpus.source_tag)
    add_tag(data.source_tag, *corpus.source_tag, files);
  else if (!data.source_tag.empty())
    add_tag(data.source_tag, synthetic_tag(data.source_tag, source, "source"), files);
  data.train_source.push_back(corpus.source.string());
  data.train_target.push_back(corpus.target.string());
}

}  // namespace dragoman::app

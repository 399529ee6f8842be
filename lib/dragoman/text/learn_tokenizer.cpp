#include "dragoman/text/learn_tokenizer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/thread.h"

#include <sentencepiece_trainer.h>

#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

// Part of the result: sums of floats are taken thread by thread. Hence never the number of cores.
constexpr int trainer_threads = 16;

/// Another type in each generation of the library.
using Status = decltype(std::declval<const sentencepiece::SentenceIterator&>().status());

/// Gives the trainer the chosen lines one by one.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  std::size_t at_ = 0;
};

using Arguments = std::unordered_map<std::string, std::string>;

const char* normalization_rule(const TokenizerOptions& options) {
  if (options.normalization == Normalization::identity) return "identity";
  return options.lowercase ? "nmt_nfkc_cf" : "nmt_nfkc";
}

Arguments trainer_arguments(const TokenizerOptions& options) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return {{"model_type", options.type == TokenizerType::bpe ? "bpe" : "unigram"},
          {"character_coverage", nlohmann::json(options.character_coverage).dump()},
          {"byte_fallback", flag(options.byte_fallback)},
          {"split_digits", flag(options.split_digits)},
          {"normalization_rule_name", normalization_rule(options)},
          {"pad_id", "0"},
          {"unk_id", "1"},
          {"bos_id", "2"},
          {"eos_id", "3"},
          {"num_threads", concat(trainer_threads)},
          {"max_sentence_length", concat(longest_tokenizer_line)},
          {"minloglevel", "2"}};
}

struct Attempt {
  std::string model;
  std::string fault;  ///< empty if it went well
};

Attempt attempt(const std::vector<std::string>& lines, Arguments arguments,
                std::int64_t vocab_size) {
  arguments["vocab_size"] = concat(vocab_size);
  LineIterator iterator(lines);
  Attempt result;
  expect_threads(trainer_threads);  // the library crashes if one is refused
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments, &iterator, &result.model);
  if (!status.ok()) result.fault = status.ToString();
  return result;
}

/// The number that follows `mark` in `text`, if both are there.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  return number;
}

/// The largest size named in a trainer's message, where the size was too large.
std::optional<std::int64_t> named_maximum(std::string_view fault) {
  return number_after(fault, "set it to a value <= ");
}

/// The smallest size, where the text's characters alone need more than was asked for.
std::optional<std::int64_t> named_minimum(std::string_view fault) {
  const auto at = fault.find("smaller than required_chars");
  if (at == std::string_view::npos) return std::nullopt;
  return number_after(fault.substr(at), " vs ");
}

struct Learned {
  std::string model;
  std::int64_t pieces = 0;
};

/// Learns the largest vocabulary that the text can fill where the size asked for could not be
/// learned, with a warning.
/// \param fault why it could not
/// \throws OptionsError naming the largest or smallest possible size if it is a hard limit or too
///     small; DataError if there is another reason
Learned learn_possible(const std::vector<std::string>& lines, const Arguments& arguments,
                       const TokenizerOptions& options, std::string_view what, std::string fault) {
  if (const auto minimum = named_minimum(fault))
    throw OptionsError(concat(what, ": tokenizer.vocab_size ", options.vocab_size,
                              " is too small for the text's characters; the smallest possible is ",
                              *minimum, ", or lower tokenizer.character_coverage"));
  // A smaller size prunes more, so what one message names may again be too large.
  auto maximum = named_maximum(fault);
  while (maximum) {
    auto result = attempt(lines, arguments, *maximum);
    fault = std::move(result.fault);
    if (fault.empty()) {
      const auto message = concat(what, ": tokenizer.vocab_size ", options.vocab_size,
                                  " is more than the text can fill; the largest possible is ");
      if (options.hard_vocab_limit)
        throw OptionsError(concat(message, *maximum, "; choose that, or more text"));
      log_warning(concat(message, *maximum, ", which is used"));
      return {.model = std::move(result.model), .pieces = *maximum};
    }
    const auto next = named_maximum(fault);
    maximum = next && *next < *maximum ? next : std::nullopt;
  }
  throw DataError(concat(what, ": no vocabulary of ", options.vocab_size,
                         " pieces (tokenizer.vocab_size) can be learned: ", fault,
                         "; choose another size or more text"));
}

}  // namespace

std::string learn_tokenizer(const LinePasses& text, const TokenizerOptions& options,
                            std::uint64_t seed, std::string_view what) {
  options.validate();
  const auto pieces = grouped(options.vocab_size) + " pieces";
  const auto learning = concat("learning ", pieces, " from ", what);
  log_info(learning);
  Activity activity(learning);
  const auto drawn = draw_tokenizer_lines(text, options.max_sentences, seed, what);
  if (drawn.empty())
    throw DataError(concat(
        what, ": no line has text, so no vocabulary can be learned; give a text with words"));
  const auto arguments = trainer_arguments(options);
  auto result = attempt(drawn, arguments, options.vocab_size);
  auto learned = result.fault.empty()
                     ? Learned{.model = std::move(result.model), .pieces = options.vocab_size}
                     : learn_possible(drawn, arguments, options, what, std::move(result.fault));
  activity.finish(concat("learned ", grouped(learned.pieces), " pieces"));
  return std::move(learned.model);
}

std::string learn_tokenizer(std::span<const std::string> lines, const TokenizerOptions& options,
                            std::uint64_t seed, std::string_view what) {
  const auto all = [lines](const auto& visit) {
    for (const auto& line : lines) visit(line);
  };
  return learn_tokenizer(LinePasses(all), options, seed, what);
}

std::optional<Tokenizer> character_tokenizer(std::span<const std::string> lines,
                                             Normalization normalization, const std::string& what) {
  const auto usable = split_tokenizer_lines({lines.begin(), lines.end()});
  if (usable.empty()) return std::nullopt;
  const TokenizerOptions options{.normalization = normalization};
  auto arguments = trainer_arguments(options);
  arguments["model_type"] = "char";
  arguments["use_all_vocab"] = "true";
  const auto learned = attempt(usable, std::move(arguments), options.vocab_size);
  if (!learned.fault.empty()) return std::nullopt;
  return Tokenizer::from_bytes(learned.model, what);
}

Vocabulary learn_vocabulary(const PairPasses& text, const TokenizerOptions& options,
                            std::uint64_t seed, const std::string& source_name,
                            const std::string& target_name) {
  const auto learn = [&](const LinePasses& lines, const std::string& name) {
    return Tokenizer::from_bytes(learn_tokenizer(lines, options, seed, name), name);
  };
  const auto side = [&text](std::string LinePair::* which) -> LinePasses {
    return [&text, which](const auto& visit) {
      text([&](const LinePair& pair) { visit(pair.*which); });
    };
  };
  if (options.joint) {
    const LinePasses sides = [&text](const auto& visit) {
      text([&](const LinePair& pair) {
        visit(pair.source);
        visit(pair.target);
      });
    };
    const auto both = learn(sides, source_name + " and " + target_name);
    return {.source = both, .target = both, .joint = true};
  }
  return {.source = learn(side(&LinePair::source), source_name),
          .target = learn(side(&LinePair::target), target_name),
          .joint = false};
}

Vocabulary learn_vocabulary(std::span<const LinePair> pairs, const TokenizerOptions& options,
                            std::uint64_t seed, const std::string& source_name,
                            const std::string& target_name) {
  const auto all = [pairs](const auto& visit) {
    for (const auto& pair : pairs) visit(pair);
  };
  return learn_vocabulary(PairPasses(all), options, seed, source_name, target_name);
}

}  // namespace dragoman

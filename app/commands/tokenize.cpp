#include "commands/commands.h"
#include "commands/text_files.h"

#include "dragoman/config/option_names.h"
#include "dragoman/config/tokenizer_options.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/run_files.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/text/line_writer.h"
#include "dragoman/text/lines.h"
#include "dragoman/text/tokenizer.h"

#include <fcntl.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

namespace fs = std::filesystem;

template <typename Visit>
void each_line(const std::string& file, const Visit& visit) {
  LineReader reader(file, LineUse::training);
  while (const auto line = reader.next()) visit(line->text);
}

struct Learn {
  std::vector<std::string> inputs;
  std::string output;
  TokenizerOptions options;
  std::string type = "unigram", normalization = "nfkc";
  std::uint64_t seed = 1;

  void run() {
    options.type = nlohmann::json(type).get<TokenizerType>();
    options.normalization = nlohmann::json(normalization).get<Normalization>();
    options.hard_vocab_limit = true;
    for (const auto& file : inputs)
      if (file == "-")
        throw OptionsError(
            "tokenize train --input -: the text is read more than once, which standard "
            "input cannot be; write it to a file");
    for (const auto& file : inputs) {
      expect_regular(file);
      expect_other_file(output, file);
    }
    expect_writable(output);
    const auto model = learn_tokenizer(
        [this](const auto& visit) {
          for (const auto& file : inputs) each_line(file, visit);
        },
        options, seed, joined(inputs));
    write_output(output, model);
    log_info("wrote " + (output == "-" ? "standard output" : output));
  }
};

/// Converts a text line by line.
struct Conversion {
  std::string model;
  std::string side = "source";
  bool side_given = false;
  std::string input;
  std::string output;
  bool ids = false;

  /// From a model file, a checkpoint, or the newest checkpoint of a run.
  Tokenizer tokenizer() const {
    if (!fs::is_directory(model)) {
      auto loaded = Tokenizer::load(model);
      if (side_given)
        throw OptionsError(
            concat("--side: ", model, " is a single vocabulary, without sides; leave --side out"));
      return loaded;
    }
    const bool is_checkpoint = fs::exists(fs::path(model) / manifest_file);
    const auto checkpoint =
        is_checkpoint ? fs::path(model) : CheckpointStore(model).choose("latest").path;
    for (const auto& [name, file] : read_manifest(checkpoint).files)
      if (name.starts_with("tokenizer") &&
          sha256_hex(Descriptor(checkpoint / name, O_RDONLY)) != file.sha256)
        throw FormatError(
            concat((checkpoint / name).string(),
                   ": is not the checkpoint's (its checksum differs); copy it again"));
    const auto vocabulary = load_vocabulary(checkpoint);
    return side == "target" ? vocabulary.target : vocabulary.source;
  }

  template <typename Convert>
  void run(const Convert& convert) const {
    auto reader = open_input(input, LineUse::translation);
    auto writer = open_output(output);
    ChangedLines changed(reader.place());
    while (const auto line = reader.next()) {
      changed.tell(*line);
      writer.write(convert(line->text, concat(reader.place(), ": line ", line->number)));
      if (reader.would_wait()) writer.flush();
    }
    writer.finish();
    changed.finish();
  }
};

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < line.size();) {
    const auto end = std::min(line.find(' ', begin), line.size());
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::int32_t id_of(const std::string& word, const Tokenizer& tokenizer, const std::string& place) {
  std::int32_t id = -1;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), id);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || id < 0 ||
      id >= tokenizer.vocab_size())
    throw DataError(concat(place, ": '", word, "' is not an id; ids range from 0 to ",
                           tokenizer.vocab_size() - 1));
  return id;
}

void encode(const Conversion& conversion) {
  const auto tokenizer = conversion.tokenizer();
  conversion.run([&](const std::string& line, const std::string&) {
    if (!conversion.ids) return joined(tokenizer.pieces(line), " ");
    const auto ids = tokenizer.encode(line);
    const auto text = [](std::int32_t id) { return std::to_string(id); };
    return joined(ids | std::views::transform(text), " ");
  });
}

void decode(const Conversion& conversion) {
  const auto tokenizer = conversion.tokenizer();
  conversion.run([&](const std::string& line, const std::string& place) {
    if (!conversion.ids) return tokenizer.decode(words_of(line));
    std::vector<std::int32_t> ids;
    for (const auto& word : words_of(line)) ids.push_back(id_of(word, tokenizer, place));
    return tokenizer.decode(ids);
  });
}

void add_learn(CLI::App& tokenize) {
  auto command = std::make_shared<Learn>();
  auto& options = command->options;
  auto* sub = tokenize.add_subcommand("train", "Learn a SentencePiece model from text");
  sub->add_option("-i,--input", command->inputs, "Text files, plain or .gz; one sentence per line")
      ->required();
  sub->add_option("-o,--output", command->output, "File for the model; - = standard output")
      ->required();
  sub->add_option("--vocab-size", options.vocab_size,
                  "Number of pieces, the four special ones included")
      ->capture_default_str();
  sub->add_option("--type", command->type, "unigram or bpe")
      ->check(CLI::IsMember(option_names("tokenizer.type")))
      ->capture_default_str();
  sub->add_option("--character-coverage", options.character_coverage,
                  "Share of the text's characters that get a piece, 0.98 to 1")
      ->capture_default_str();
  sub->add_flag("--byte-fallback", options.byte_fallback, "Write unknown characters as bytes");
  sub->add_option("--normalization", command->normalization,
                  "nfkc = Unicode's NFKC; identity = characters stay as they are")
      ->check(CLI::IsMember(option_names("tokenizer.normalization")))
      ->capture_default_str();
  sub->add_flag("--lowercase", options.lowercase, "Lowercase the text first");
  sub->add_flag("--split-digits", options.split_digits, "Make each digit a piece of its own");
  sub->add_option("--max-sentences", options.max_sentences,
                  "Maximum number of lines drawn from the text; 0 = all")
      ->capture_default_str();
  sub->add_option("--seed", command->seed, "Seed for sampling the lines (see --max-sentences)")
      ->capture_default_str();
  sub->callback([command] { command->run(); });
}

void add_conversion(CLI::App& tokenize, const std::string& name, const std::string& help,
                    void (*run)(const Conversion&)) {
  auto command = std::make_shared<Conversion>();
  auto* sub = tokenize.add_subcommand(name, help);
  sub->add_option("-m,--model", command->model, "A SentencePiece model, a run or a checkpoint")
      ->type_name("PATH")
      ->required();
  auto* side = sub->add_option("--side", command->side,
                               "Which vocabulary of a run with two: source or target")
                   ->check(CLI::IsMember({"source", "target"}))
                   ->capture_default_str();
  sub->add_option("-i,--input", command->input,
                  "Text file, plain or .gz; - = standard input, the default");
  sub->add_option("-o,--output", command->output,
                  "File for the result; - = standard output, the default");
  sub->add_flag("--ids", command->ids, "Ids instead of pieces");
  sub->callback([command, side, run] {
    command->side_given = side->count() > 0;
    expect_other_file(command->output, command->input.empty() ? "-" : command->input);
    expect_other_file(command->output, command->model);
    run(*command);
  });
}

}  // namespace

void add_tokenize(CLI::App& app) {
  auto* tokenize =
      app.add_subcommand("tokenize", "Learn a subword vocabulary; encode or decode text");
  tokenize->require_subcommand(1);
  add_learn(*tokenize);
  add_conversion(*tokenize, "encode", "Split text into pieces, separated by spaces", encode);
  add_conversion(*tokenize, "decode", "Join pieces to text", decode);
}

}  // namespace dragoman::app

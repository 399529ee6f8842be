#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/text_files.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/fairseq.h"
#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/imported_run.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_export.h"
#include "dragoman/convert/marian_folder.h"
#include "dragoman/convert/quantize.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/tensor/device.h"
#include "dragoman/text/language_tags.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dragoman::app {

namespace {

using FolderTest = bool (*)(const std::filesystem::path&);

/// The other programs, in the order in which they are tried: a folder of Hugging Face could pass
/// for one of the others.
constexpr std::array<std::pair<std::string_view, FolderTest>, 4> programs{
    {{"huggingface", is_huggingface},
     {"ctranslate2", is_ctranslate2},
     {"marian", is_marian},
     {"fairseq", is_fairseq}}};

FolderTest detector_of(const std::string& program) {
  return std::ranges::find(programs, std::string_view(program),
                           [](const auto& one) { return one.first; })
      ->second;
}

/// The program whose folder this seems to be; empty if none.
std::string recognised(const std::filesystem::path& folder) {
  for (const auto& [name, is_of] : programs)
    if (is_of(folder)) return std::string(name);
  return {};
}

struct Convert {
  std::filesystem::path input;
  std::filesystem::path output;
  std::string from, to, checkpoint;
  std::string source_tokenizer, target_tokenizer;
  Languages languages;
  std::vector<std::string> settings;
  std::string source_eos = "auto";
  std::string quantize = "float32";
  std::string test_source, test_reference, device = "cpu";

  std::optional<Vocabulary> tokenizers() const {
    if (source_tokenizer.empty()) return std::nullopt;
    const auto source = load_splitter(source_tokenizer);
    if (target_tokenizer.empty())
      return Vocabulary{.source = source, .target = source, .joint = true};
    return Vocabulary{.source = source, .target = load_splitter(target_tokenizer), .joint = false};
  }

  std::optional<bool> ends_sources() const {
    if (source_eos == "auto") return std::nullopt;
    return source_eos == "on";
  }

  /// Of a run. \throws OptionsError for types that only CTranslate2 has
  WeightType weights() const {
    const auto type = nlohmann::json(quantize).get<WeightType>();
    if (nlohmann::json(type) != nlohmann::json(quantize))
      throw OptionsError(concat("convert --quantize ", quantize, ": is for --to ctranslate2 only; ",
                                "choose int8 or bf16"));
    return type;
  }

  void run() const {
    expect_empty_folder(output);
    if (!from.empty()) {
      const ForeignFolder folder(input, output);
      std::cout << read_foreign(folder.path()).path.string() << '\n';
      return;
    }
    if (to == "dragoman")
      write_quantized();
    else if (to == "huggingface")
      write_plain(export_huggingface);
    else if (to == "marian")
      write_plain(export_marian);
    else
      write_ctranslate2();
    std::cout << output.string() << '\n';
  }

  /// A run's shortlist belongs to no format of models.
  static void tell_of_shortlists(const LoadedRun& run) {
    for (const auto& shortlist : imported_shortlists(run.checkpoint))
      log_info(concat("convert: ", shortlist.string(),
                      " is left out; 'dragoman shortlist --input' writes it in the form of another "
                      "program"));
  }

  /// The other program whose folder this is.
  std::string kind_of(const std::filesystem::path& folder) const {
    if (!std::filesystem::exists(input))
      throw DataError(concat(input.string(), ": there is no such file or folder; nothing is ",
                             "downloaded: put the model's files into a folder and give that"));
    const auto found = recognised(folder);
    const bool is_run = has_checkpoints(folder) || !model_around(folder / model_file).empty();
    if (found.empty() && is_run)
      throw DataError(concat(input.string(), ": is a run of this program already; give it to -m, ",
                             "or write it in another format with --to"));
    if (from != "auto") {
      if (!found.empty() && found != from && !detector_of(from)(folder))
        throw OptionsError(concat("convert --from ", from, ": ", input.string(), " is a model of ",
                                  found, "; give --from ", found));
      return from;
    }
    if (!found.empty()) return found;
    throw DataError(concat(input.string(), ": model format not recognised; name it with --from ",
                           "ctranslate2, fairseq, huggingface or marian"));
  }

  Checkpoint read_foreign(const std::filesystem::path& folder) const {
    const auto found = kind_of(folder);
    const ImportedRun run(output, settings, input);
    if (found == "marian" && !(languages.source.empty() && languages.target.empty()))
      throw OptionsError(concat("convert --", languages.source.empty() ? "target" : "source",
                                "-language: is not for --from marian; leave it out"));
    if (found == "ctranslate2")
      return import_ctranslate2({.model_dir = folder,
                                 .tokenizers = tokenizers(),
                                 .languages = languages,
                                 .source_eos = ends_sources()},
                                run);
    if (found == "fairseq" && source_eos == "auto")
      return import_fairseq(
          {.model_dir = folder, .tokenizers = tokenizers(), .languages = languages}, run);
    if (source_eos != "auto")
      throw OptionsError("convert --source-eos: is for --from ctranslate2 only; leave it out");
    if (!source_tokenizer.empty())
      throw OptionsError(concat("convert --tokenizer: a ", found,
                                " folder has its own tokenizer; leave the option out"));
    if (found == "marian") return import_marian(folder, run);
    return import_huggingface(folder, languages, run);
  }

  /// A format that has float32 weights only.
  void write_plain(void (*write)(const LoadedRun&, const std::filesystem::path&)) const {
    if (quantize != "float32" || !test_source.empty())
      throw OptionsError(concat("convert --to ", to,
                                ": writes float32 and measures nothing; leave --quantize, "
                                "--source and --reference out"));
    const auto run = load_run(input, checkpoint);
    write(run, output);
    tell_of_shortlists(run);
  }

  void write_ctranslate2() const {
    const auto numbers = ctranslate2_weights();
    auto run = load_run(input, checkpoint);
    tell_of_shortlists(run);
    export_ctranslate2(std::move(run), output, numbers);
  }

  CTranslate2Weights ctranslate2_weights() const {
    if (!test_source.empty())
      throw OptionsError(
          "convert --to ctranslate2 --source: BLEU is measured for --to dragoman only; leave "
          "--source and --reference out");
    return nlohmann::json(quantize).get<CTranslate2Weights>();
  }

  void write_quantized() const {
    if (weights() == WeightType::float32)
      throw OptionsError(
          "convert --to dragoman: the run has this format already; "
          "choose --quantize int8 or bf16");
    if (test_source.empty() || test_reference.empty())
      throw OptionsError(
          "convert --to dragoman: the loss from quantising is measured; "
          "give --source and --reference");
    expect_one_standard_input({{"--source", test_source}, {"--reference", test_reference}});
    const auto place = find_inference_device("--device", device);
    const auto run = load_run(input, checkpoint);
    auto pairs = read_parallel(std::vector{test_source}, std::vector{test_reference});
    TargetReminder reminder(run.vocabulary.source, run.options.data, text_place(test_source),
                            /*has_option=*/false);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      reminder.tell(static_cast<std::int64_t>(i) + 1, pairs[i].source);
    const auto loss =
        quantize_run(run, weights(), {.pairs = std::move(pairs), .device = place}, output);
    log_info(concat("BLEU ", decimal(loss.bleu, 2), " against ", decimal(loss.bleu_float32, 2),
                    " of ", input.string(), " on ", loss.sentences,
                    " sentences: ", signed_decimal(loss.difference(), 2)));
  }
};

void add_writing_options(CLI::App& sub, Convert& command, CLI::Option& to) {
  add_checkpoint_option(sub, command.checkpoint)->needs(&to);
  sub.add_option("--quantize", command.quantize,
                 "Number type of the weights: float32, bf16, int8, and for --to ctranslate2 also "
                 "float16 and int16")
      ->needs(&to)
      ->check(CLI::IsMember({"float32", "bf16", "float16", "int16", "int8"}))
      ->capture_default_str();
  auto* source =
      sub.add_option("--source", command.test_source,
                     "Text on which BLEU is measured with and without quantising; --to dragoman")
          ->needs(&to);
  sub.add_option("--reference", command.test_reference, "Its translation, line for line")
      ->needs(source);
  add_device_option(sub, command.device)->needs(source);
}

void add_reading_options(CLI::App& sub, Convert& command, CLI::Option& from) {
  auto* tokenizer = sub.add_option("--tokenizer", command.source_tokenizer,
                                   "SentencePiece model of both sides, or of the source "
                                   "(default: those in the folder read, such as tokenizer.model)")
                        ->needs(&from);
  sub.add_option("--target-tokenizer", command.target_tokenizer,
                 "SentencePiece model of the target, if it differs")
      ->needs(tokenizer);
  sub.add_option("--source-language", command.languages.source,
                 "Source language of a multilingual model, by its own name: en, eng_Latn; for "
                 "M2M100 and NLLB, that of texts without one")
      ->needs(&from);
  sub.add_option("--target-language", command.languages.target, "Its target language")
      ->needs(&from);
  add_set_option(sub, command.settings, "search.beam_size=4")->needs(&from);
  sub.add_option("--source-eos", command.source_eos,
                 "For CTranslate2 models whose config.json leaves it open: whether source "
                 "sentences end with </s>: on, off, or auto, off for OpenNMT's models")
      ->needs(&from)
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
}

}  // namespace

void add_convert(CLI::App& app) {
  auto command = std::make_shared<Convert>();
  auto* sub = app.add_subcommand(
      "convert",
      "Write a model in another program's format, or read one, and print the path of the "
      "result");
  sub->add_option("-m,--model,input", command->input,
                  "Run folder or checkpoint (--to), or the other program's folder, which may be a "
                  "zip archive (--from); it may be given without -m")
      ->required();
  sub->add_option("-o,--output", command->output, "Folder to make; must be new or empty")
      ->required()
      ->check(a_folder());
  auto* direction = sub->add_option_group("direction");
  auto* to =
      direction
          ->add_option(
              "--to", command->to,
              "Format to write: ctranslate2, huggingface (MarianMT), marian, or dragoman, a run "
              "with quantised weights")
          ->check(CLI::IsMember({"ctranslate2", "huggingface", "marian", "dragoman"}));
  auto* from =
      direction
          ->add_option("--from", command->from,
                       "Format to read: ctranslate2, fairseq, huggingface (MarianMT, M2M100, "
                       "NLLB), marian, or auto, detected from the folder")
          ->check(CLI::IsMember({"auto", "ctranslate2", "fairseq", "huggingface", "marian"}));
  direction->require_option(1);
  add_writing_options(*sub, *command, *to);
  add_reading_options(*sub, *command, *from);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app

#include "dragoman/translate/synthetic_text.h"

#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/storage/leftovers.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/text_file.h"
#include "dragoman/translate/synthetic_block.h"

#include <fcntl.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

constexpr const char* facts_name = "facts.json";

std::string sha256_of_file(const fs::path& path) { return sha256_hex(Descriptor(path, O_RDONLY)); }

bool is_usable(const Alternative& one) {
  return !one.text.empty() && !one.truncated && !one.looping;
}

/// Reads a text, and its reference if it has one, block by block.
class BlockReader {
 public:
  BlockReader(const SyntheticRequest& request, std::size_t text)
      : name_(request.texts[text]),
        block_lines_(request.block_lines),
        lines_(open_text(name_, LineUse::training)) {
    if (!request.interpolation || text >= request.interpolation->references.size()) return;
    reference_name_ = request.interpolation->references[text];
    references_.emplace(open_text(reference_name_, LineUse::training));
  }

  /// \return without lines at the end
  SyntheticBlock next() {
    SyntheticBlock block;
    while (std::ssize(block.lines) < block_lines_) {
      auto line = lines_.next();
      if (references_) {
        auto reference = references_->next();
        if (line.has_value() != reference.has_value())
          throw DataError(concat(name_, " and ", reference_name_,
                                 ": have different numbers of lines; give parallel text"));
        if (reference) block.references.push_back(std::move(reference->text));
      }
      if (!line) break;
      block.lines.push_back(std::move(line->text));
    }
    return block;
  }

 private:
  std::string name_, reference_name_;
  std::int64_t block_lines_;
  LineReader lines_;
  std::optional<LineReader> references_;
};

/// Reads, translates and writes.
class SyntheticJob {
 public:
  SyntheticJob(const SyntheticRequest& request, const LineTranslator& translator)
      : request_(request), translator_(translator), result_(request.folder) {
    if (request.interpolation) closeness_ = utility_metric(request.interpolation->utility);
  }

  SyntheticText run() {
    if (is_complete()) {
      remove_work();
      return result_;
    }
    write_file_atomically(request_.folder / facts_name,
                          nlohmann::json{{"origin", request_.origin}}.dump(1) + '\n');
    translate();
    if (!has_text_)
      throw DataError(concat(request_.texts.front(),
                             ": no line to be translated has text; give a text in the language "
                             "that the model reads"));
    const nlohmann::json facts{{"origin", request_.origin},
                               {"texts_sha256", texts_.hex_digest()},
                               {"kept", result_.kept},
                               {"left_out", result_.left_out},
                               {"lines_sha256", sha256_of_file(result_.lines)},
                               {"translations_sha256", sha256_of_file(result_.translations)}};
    write_file_atomically(request_.folder / facts_name, facts.dump(1) + '\n');
    remove_work();
    log_info(concat("translated ", counted(result_.kept, "line"), "; left out ",
                    grouped(result_.left_out),
                    ": blank, too long, or without a proper translation"));
    return result_;
  }

 private:
  /// \throws DataError if the folder's translations are of something else
  bool is_complete() try {
    const auto path = request_.folder / facts_name;
    if (!fs::exists(path)) return false;
    const auto facts = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
    if (!facts.is_object()) return false;
    auto origin = facts.value("origin", nlohmann::json::object());
    if (origin.contains("search"))
      origin["search"].erase("batch_tokens");  // stored by earlier versions
    if (origin != request_.origin)
      refuse("holds translations by another model, search or language");
    if (!facts.contains("texts_sha256")) return false;
    if (facts.at("texts_sha256") != hash_of_texts()) refuse("holds translations of another text");
    if (!fs::exists(result_.lines) || !fs::exists(result_.translations) ||
        facts.value("lines_sha256", "") != sha256_of_file(result_.lines) ||
        facts.value("translations_sha256", "") != sha256_of_file(result_.translations))
      return false;
    result_.kept = facts.value("kept", std::int64_t{0});
    result_.left_out = facts.value("left_out", std::int64_t{0});
    return true;
  } catch (const nlohmann::json::exception&) {
    throw FormatError(concat((request_.folder / facts_name).string(),
                             ": is damaged; remove the folder and repeat the command"));
  }

  /// The blocks, and what a process that was killed left of its files.
  void remove_work() const {
    remove_leftovers_in(request_.folder);
    remove_synthetic_blocks(request_.folder);
  }

  [[noreturn]] void refuse(std::string_view fact) const {
    throw DataError(concat(request_.folder.string(), ": ", fact,
                           "; choose another output folder, or remove ", request_.folder.string()));
  }

  std::string hash_of_texts() const {
    Sha256 hash;
    for (std::size_t text = 0; text < request_.texts.size(); ++text) {
      BlockReader reader(request_, text);
      for (auto block = reader.next(); !block.lines.empty(); block = reader.next())
        hash.update(block.text());
    }
    return hash.hex_digest();
  }

  void translate() {
    AtomicFile lines(result_.lines), translations(result_.translations);
    Progress progress("translating", "lines", 0);
    for (std::size_t text = 0; text < request_.texts.size(); ++text) {
      BlockReader reader(request_, text);
      for (auto block = reader.next(); !block.lines.empty(); block = reader.next()) {
        texts_.update(block.text());
        const auto translated = translation_of(block);
        for (std::size_t i = 0; i < block.lines.size(); ++i) {
          const auto& line = block.lines[i];
          const bool usable = !translated[i].empty();
          has_text_ |= line.find_first_not_of(" \t") != std::string::npos;
          ++(usable ? result_.kept : result_.left_out);
          if (!usable) continue;
          lines.append(line + '\n');
          translations.append(translated[i] + '\n');
        }
        progress.show(result_.kept + result_.left_out);
      }
    }
    lines.commit();
    translations.commit();
    progress.finish();
  }

  Strings translation_of(const SyntheticBlock& block) {
    const SyntheticBlockFile file(request_.folder, blocks_++);
    const auto first_line = lines_read_;
    lines_read_ += std::ssize(block.lines);
    if (auto known = file.read(block)) return std::move(*known);
    if (file.is_of_other(block)) refuse("holds translations of another text");
    const auto found = translator_.translate(block.lines, {.first_line = first_line});
    Strings translated;
    for (std::size_t i = 0; i < block.lines.size(); ++i)
      translated.push_back(
          usable_text(found[i], block.references.empty() ? "" : block.references[i]));
    file.write(block, translated);
    return translated;
  }

  /// What can be trained on; may be empty.
  /// \param reference to be close to; empty = none
  std::string usable_text(const Translation& translation, const std::string& reference) const {
    if (translation.cut) return "";
    if (reference.empty()) return is_usable(translation.n_best.front()) ? translation.text() : "";
    const std::string_view against[] = {reference};
    std::string closest;
    double closeness = -1.0;
    for (const auto& one : translation.n_best) {
      if (!is_usable(one)) continue;
      const double score = closeness_->score(closeness_->segment(one.text, against));
      if (score <= closeness) continue;
      closeness = score;
      closest = one.text;
    }
    return closest;
  }

  const SyntheticRequest& request_;
  const LineTranslator& translator_;
  SyntheticText result_;
  std::unique_ptr<const Metric> closeness_;  // with interpolation
  Sha256 texts_;
  std::int64_t blocks_ = 0, lines_read_ = 0;
  bool has_text_ = false;
};

}  // namespace

SyntheticText make_synthetic_text(const SyntheticRequest& request,
                                  const LineTranslator& translator) {
  const RunLock lock(request.folder);
  return SyntheticJob(request, translator).run();
}

}  // namespace dragoman

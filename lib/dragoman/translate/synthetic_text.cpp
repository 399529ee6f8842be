#include "dragoman/translate/synthetic_text.h"

#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/storage/leftovers.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/text_file.h"

#include <fcntl.h>

#include <cstdio>
#include <optional>
#include <regex>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

constexpr const char* facts_name = "facts.json";

/// What can be trained on.
bool is_usable(const std::string& line, const Translation& translation) {
  return !line.empty() && !translation.text().empty() && !translation.cut &&
         !translation.truncated && !translation.looping;
}

std::string joined_lines(const Strings& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

std::string sha256_of_file(const fs::path& path) { return sha256_hex(Descriptor(path, O_RDONLY)); }

/// A file's JSON; none if it is missing or damaged, so that it is made again.
std::optional<nlohmann::json> json_in(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

/// The translations of one block; empty for lines that are left out.
class BlockFile {
 public:
  BlockFile(const fs::path& folder, std::int64_t number) {
    char name[40];
    std::snprintf(name, sizeof name, "block-%08lld.json", static_cast<long long>(number));
    path_ = folder / name;
  }

  /// Whether the block is intact enough to name other lines.
  bool is_of_others(const Strings& lines) const {
    const auto json = json_in(path_);
    return json && json->contains("lines_sha256") && !is_of(*json, lines);
  }

  /// \return none if there is none of these lines
  std::optional<Strings> read(const Strings& lines) const {
    const auto json = json_in(path_);
    if (!json || !is_of(*json, lines)) return std::nullopt;
    const auto found = json->find("translations");
    if (found == json->end() || !found->is_array()) return std::nullopt;
    Strings translations;
    for (const auto& text : *found) {
      if (!text.is_string()) return std::nullopt;
      translations.push_back(text.get<std::string>());
    }
    const bool same = translations.size() == lines.size() &&
                      json->value("translations_sha256", nlohmann::json()) ==
                          sha256_hex(joined_lines(translations));
    return same ? std::optional(std::move(translations)) : std::nullopt;
  }

  void write(const Strings& lines, const Strings& translations) const {
    const nlohmann::json json{{"lines_sha256", sha256_hex(joined_lines(lines))},
                              {"translations_sha256", sha256_hex(joined_lines(translations))},
                              {"translations", translations}};
    write_file_atomically(path_, json.dump(1) + '\n');
  }

 private:
  static bool is_of(const nlohmann::json& json, const Strings& lines) {
    return json.value("lines_sha256", nlohmann::json()) == sha256_hex(joined_lines(lines));
  }

  fs::path path_;
};

/// Reads, translates and writes.
class SyntheticJob {
 public:
  SyntheticJob(const SyntheticRequest& request, const LineTranslator& translator)
      : request_(request), translator_(translator), result_(request.folder) {}

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
    const auto facts = json_in(request_.folder / facts_name);
    if (!facts) return false;
    auto origin = facts->value("origin", nlohmann::json::object());
    if (origin.contains("search"))
      origin["search"].erase("batch_tokens");  // stored by earlier versions
    if (origin != request_.origin)
      refuse("holds translations by another model, search or language");
    if (!facts->contains("texts_sha256")) return false;
    if (facts->at("texts_sha256") != hash_of_texts()) refuse("holds translations of another text");
    if (!fs::exists(result_.lines) || !fs::exists(result_.translations) ||
        facts->value("lines_sha256", "") != sha256_of_file(result_.lines) ||
        facts->value("translations_sha256", "") != sha256_of_file(result_.translations))
      return false;
    result_.kept = facts->value("kept", std::int64_t{0});
    result_.left_out = facts->value("left_out", std::int64_t{0});
    return true;
  } catch (const nlohmann::json::exception&) {
    throw FormatError(concat((request_.folder / facts_name).string(),
                             ": is damaged; remove the folder and repeat the command"));
  }

  /// The blocks, and what a process that was killed left of its files.
  void remove_work() const {
    remove_leftovers_in(request_.folder);
    static const std::regex block(R"(block-\d+\.json)");
    std::vector<fs::path> blocks;
    for (const auto& entry : fs::directory_iterator(request_.folder))
      if (std::regex_match(entry.path().filename().string(), block)) blocks.push_back(entry.path());
    for (const auto& path : blocks) fs::remove(path);
  }

  [[noreturn]] void refuse(std::string_view fact) const {
    throw DataError(concat(request_.folder.string(), ": ", fact,
                           "; choose another output folder, or remove ", request_.folder.string()));
  }

  std::string hash_of_texts() const {
    Sha256 hash;
    for (const auto& name : request_.texts) {
      auto text = open_text(name, LineUse::training);
      while (const auto line = text.next()) hash.update(line->text + '\n');
    }
    return hash.hex_digest();
  }

  void translate() {
    AtomicFile lines(result_.lines), translations(result_.translations);
    Progress progress("translating", "lines", 0);
    for (const auto& name : request_.texts) {
      auto text = open_text(name, LineUse::training);
      for (auto block = next_block(text); !block.empty(); block = next_block(text)) {
        const auto translated = translation_of(block);
        for (std::size_t i = 0; i < block.size(); ++i) {
          const bool usable = !translated[i].empty();
          has_text_ |= block[i].find_first_not_of(" \t") != std::string::npos;
          ++(usable ? result_.kept : result_.left_out);
          if (!usable) continue;
          lines.append(block[i] + '\n');
          translations.append(translated[i] + '\n');
        }
        progress.show(result_.kept + result_.left_out);
      }
    }
    lines.commit();
    translations.commit();
    progress.finish();
  }

  Strings next_block(LineReader& text) {
    Strings block;
    while (std::ssize(block) < request_.block_lines) {
      auto line = text.next();
      if (!line) break;
      texts_.update(line->text + '\n');
      block.push_back(std::move(line->text));
    }
    return block;
  }

  Strings translation_of(const Strings& block) {
    const BlockFile file(request_.folder, blocks_++);
    const auto first_line = lines_read_;
    lines_read_ += std::ssize(block);
    if (auto known = file.read(block)) return std::move(*known);
    if (file.is_of_others(block)) refuse("holds translations of another text");
    const auto found = translator_.translate(block, {.first_line = first_line});
    Strings translated;
    for (std::size_t i = 0; i < block.size(); ++i)
      translated.push_back(is_usable(block[i], found[i]) ? found[i].text() : "");
    file.write(block, translated);
    return translated;
  }

  const SyntheticRequest& request_;
  const LineTranslator& translator_;
  SyntheticText result_;
  Sha256 texts_;
  std::int64_t blocks_ = 0, lines_read_ = 0;
  bool has_text_ = false;
};

}  // namespace

bool is_synthetic_text(const std::filesystem::path& file) {
  const SyntheticText made(file.parent_path());
  return file.parent_path().filename() == synthetic_folder &&
         (file == made.lines || file == made.translations);
}

SyntheticText make_synthetic_text(const SyntheticRequest& request,
                                  const LineTranslator& translator) {
  const RunLock lock(request.folder);
  return SyntheticJob(request, translator).run();
}

}  // namespace dragoman

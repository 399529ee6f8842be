#pragma once

#include "dragoman/run/run_files.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"
#include "dragoman/translator.h"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dragoman {

/// What messages call the option of a device.
inline constexpr const char* device_place = "TranslatorOptions::device";

/// What a Translator is made of.
struct Translator::Parts {
  /// The float32 weights of the runs, read by the first call that needs them.
  struct Float32Models {
    std::once_flag made;
    InferenceModels models = {};  ///< set before that if the search has float32 weights, too
  };

  /// What scores pairs, with threads of its own; made by the first call that needs it, and shared
  /// by the Translators of the same models with as many workers.
  struct Scoring {
    std::shared_ptr<Float32Models> weights;
    std::once_flag made = {};
    std::optional<PairScorer> scorer = {};
  };

  TranslatorOptions options;
  std::vector<RunFiles> stored;  ///< with their own options
  std::vector<RunFiles> runs;    ///< with the chosen ones
  InferenceModels models;        ///< with weights in the precision of the search
  std::shared_ptr<const Shortlist> shortlist;
  LineTranslator lines;
  std::shared_ptr<Scoring> scoring;

  /// \param loaded whose models are used if they are the same; may be null
  Parts(std::vector<RunFiles> opened, const TranslatorOptions& given, const Parts* loaded);

  std::shared_ptr<const Shortlist> shortlist_of(const Parts* loaded) const;
  LineTranslator line_translator(const Parts* loaded) const;
  std::shared_ptr<Scoring> scoring_of(const Parts* loaded) const;

  std::vector<PairScore> score(std::span<const LinePair> pairs, const std::stop_token& stop) const;

  /// \param of_caller set to what the caller's `progress` throws
  std::vector<Translation> translate(std::span<const std::string> lines,
                                     const LinesContext& context,
                                     std::exception_ptr& of_caller) const;
};

}  // namespace dragoman

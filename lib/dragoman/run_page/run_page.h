#pragma once

#include "dragoman/run_page/run_history.h"

#include <span>
#include <string>

namespace dragoman {

/// A part of the page that the caller provides.
struct PagePart {
  std::string style = {};  ///< what it adds to the page's style sheet
  std::string html = {};   ///< with its heading
};

/// One HTML page of one training, or of two side by side, that needs no network and no script, for
/// wide, narrow, light and dark screens: facts, best validations, curves (`run_figures`), how the
/// translations of a few validation sentences changed, and the configuration where it is not the
/// default or the runs differ. No text in it can become markup. The same records give the same
/// bytes.
/// \param runs one or two
/// \param version of the program, for the foot
/// \param on_text what the runs make of a text (`run_page/text_section`); empty = there is none
std::string run_page(std::span<const RunHistory> runs, const std::string& version,
                     const PagePart& on_text = {});

}  // namespace dragoman

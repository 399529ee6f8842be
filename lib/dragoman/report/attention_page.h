#pragma once

#include "dragoman/report/attention_map.h"

#include <span>
#include <string>

namespace dragoman {

/// The titles of the runs on the page.
struct AttentionTitles {
  std::string run;
  std::string compared = {};  ///< the run of `AttentionPicture::compared`; empty = none
};

/// One HTML page that holds the data and all it needs to show them: lines between tokens, heat
/// maps, all heads at once, pieces or words, saliency and a second run beside the attention, each
/// view can be saved as SVG or PNG. It needs no network, and no text in it can become markup.
///
/// Weights are packed: four characters each, to 1.2e-7 of the map's "range". "saliency" is packed
/// the same way with the range 1.
/// \param choice what is shown first
std::string attention_page(const AttentionTitles& titles,
                           std::span<const AttentionPicture> pictures,
                           const AttentionChoice& choice = {});

}  // namespace dragoman

#pragma once

namespace dragoman {

/// The style sheet that the HTML pages share: their colours, light and dark, and what headings,
/// tables and figures look like. A page adds its own rules behind it.
const char* page_style();

}  // namespace dragoman

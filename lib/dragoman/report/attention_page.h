#pragma once

namespace dragoman {

/// The text of attention_map.html, put into the library when it is built; "@DATA@" stands where the
/// data goes.
extern const char* const attention_page_template;

}  // namespace dragoman

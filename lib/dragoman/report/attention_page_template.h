#pragma once

namespace dragoman {

/// attention_page.html with its style and script in it, put into the library when it is built;
/// "@DATA@" marks the place of the data.
extern const char* const attention_page_template;

}  // namespace dragoman

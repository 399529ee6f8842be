#pragma once

namespace dragoman {

/// attention_page.html with its style and script in it, put into the library when it is built;
/// "@DATA@" stands where the data goes.
extern const char* const attention_page_template;

}  // namespace dragoman

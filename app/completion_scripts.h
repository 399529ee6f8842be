#pragma once

namespace dragoman::app {

/// Scripts with marks for the parts that depend on the application: @places@, @names@, @values@ and
/// @words@ of bash and zsh, which share the syntax of `case`; @places@ and @lines@ of fish.
extern const char* const bash_script;
extern const char* const zsh_script;
extern const char* const fish_script;

}  // namespace dragoman::app

#pragma once

#include "dragoman/convert/ctranslate2_file.h"

#include <nlohmann/json.hpp>

namespace dragoman {

/// Gives the variables of an older file the names and places that they have in the newest: those of
/// revision 1 had other names; up to revision 4 encoder and decoder shared their scalars; and the
/// number of heads followed from the kind of model before revision 3.
CTranslate2File with_new_names(CTranslate2File file);

/// Takes out of a file of binary version 1 to 5 what config.json holds since: the special tokens
/// and where they stand. Does nothing to newer files.
/// \return keys of config.json with their values
nlohmann::json take_config(CTranslate2File& file);

}  // namespace dragoman

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

/// What a pickle of tensors holds. Values live in one list and name each other by their place in
/// it, so that nothing is freed or followed twice, whatever refers to whatever.
struct PickleValue {
  enum class Kind {
    none,
    boolean,   ///< `number`
    integer,   ///< `number`
    real,      ///< `real`
    text,      ///< `text`
    tuple,     ///< `items`
    list,      ///< `items`
    dict,      ///< `items`: key, value, key, value ..
    object,    ///< the same of its attributes
    function,  ///< `text`: "module name", one of the few that are known
    storage,   ///< `items`: those of its persistent id
    call       ///< `items`: a function and the tuple of its arguments
  };
  Kind kind = Kind::none;
  std::int64_t number = 0;
  double real = 0.0;
  std::string_view text = {};  ///< of the pickle's bytes
  std::vector<std::uint32_t> items = {};
};

/// A pickle that has been parsed but not executed: calls are only recorded.
struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t root = 0;

  const PickleValue& operator[](std::uint32_t index) const { return values[index]; }
};

/// Reads a pickle of protocol 2 with the few opcodes that torch.save writes for a dict of tensors.
/// \param most_values that it may have, each of which takes about 100 bytes of memory
/// \param functions "module name" of all that it may name; any other is refused by its name. An
///     object of a class among them is its attributes
/// \param remedy for a file that holds more than that, in the message
/// \throws FormatError "PLACE: fact; remedy" for any other opcode, and for what is damaged
Pickle read_pickle(std::string_view bytes, std::size_t most_values,
                   const std::vector<std::string_view>& functions, const std::string& place,
                   std::string_view remedy);

}  // namespace dragoman

#include "dragoman/storage/pickle.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace dragoman {

namespace {

constexpr std::size_t longest_pickle = std::size_t{1} << 26;  // bytes; weights are not in it
constexpr std::uint32_t mark = UINT32_MAX;                    // on the stack

class PickleReader {
 public:
  using Kind = PickleValue::Kind;

  PickleReader(std::string_view bytes, std::size_t most_values,
               const std::vector<std::string_view>& functions, const std::string& place,
               std::string_view remedy)
      : bytes_(bytes),
        most_values_(most_values),
        functions_(functions),
        place_(place),
        remedy_(remedy) {}

  Pickle read() {
    if (number(1) != 0x80 || number(1) != 2)
      refuse(
          "is not of protocol 2, which torch.save writes; save it again without pickle_protocol");
    while (step()) {
    }
    pickle_.root = pop();
    if (!stack_.empty()) damaged("leaves values behind");
    return std::move(pickle_);
  }

 private:
  /// One opcode. \return false for the last
  bool step() {
    const auto code = static_cast<unsigned char>(take(1)[0]);
    switch (code) {
      case '.': return false;
      case '(': put_on_stack(mark); break;
      case 'N': push({.kind = Kind::none}); break;
      case 0x88: push({.kind = Kind::boolean, .number = 1}); break;
      case 0x89: push({.kind = Kind::boolean}); break;
      case 'K': push_integer(static_cast<std::int64_t>(number(1))); break;
      case 'M': push_integer(static_cast<std::int64_t>(number(2))); break;
      case 'J': push_integer(signed_number(4)); break;
      case 0x8A: push_integer(long_number()); break;
      case 'G': push({.kind = Kind::real, .real = big_endian_real()}); break;
      case 'X': push_text(); break;
      case ')': push({.kind = Kind::tuple}); break;
      case ']': push({.kind = Kind::list}); break;
      case '}': push({.kind = Kind::dict}); break;
      case 't': push({.kind = Kind::tuple, .items = pop_to_mark()}); break;
      case 0x85: push_tuple(1); break;
      case 0x86: push_tuple(2); break;
      case 0x87: push_tuple(3); break;
      case 'a': add_to(Kind::list, pop_last(1)); break;
      case 'e': add_to(Kind::list, pop_to_mark()); break;
      case 's': add_to(Kind::dict, pop_last(2)); break;
      case 'u': add_to(Kind::dict, pop_to_mark()); break;
      case 'c': push_function(); break;
      case 'R': call(); break;
      case 0x81: push_object(); break;
      case 'Q': push_storage(); break;
      case 'b': build(); break;
      case 'q': store(number(1)); break;
      case 'r': store(number(4)); break;
      case 'h': recall(number(1)); break;
      case 'j': recall(number(4)); break;
      default: refuse_opcode(code);
    }
    return true;
  }

  [[noreturn]] void refuse(std::string_view fact) const {
    throw FormatError(concat(place_, ": byte ", at_, ": ", fact));
  }
  [[noreturn]] void damaged(std::string_view fact) const {
    refuse(concat(fact, "; the file is damaged, get it again"));
  }
  [[noreturn]] void refuse_opcode(unsigned char code) const {
    refuse(concat("has the opcode ", static_cast<int>(code),
                  ", which a dict of tensors does not need; ", remedy_));
  }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) damaged("ends in the middle of a value");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  std::uint64_t number(std::size_t size) { return from_little_endian(take(size)); }

  /// Two's complement of `size` bytes, at most 8.
  std::int64_t signed_number(std::size_t size) {
    const auto unused = 64 - 8 * size;
    return static_cast<std::int64_t>(number(size) << unused) >> unused;
  }

  double big_endian_real() {
    std::uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(bits);
  }

  std::int64_t long_number() {
    const auto size = number(1);
    if (size > 8) refuse("has an integer of more than 64 bits; the file is damaged");
    return size == 0 ? 0 : signed_number(size);
  }

  std::string_view line() {
    const auto end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) damaged("ends in the middle of a name");
    const auto text = take(end - at_);
    take(1);
    return text;
  }

  void push(PickleValue value) {
    expect_few(pickle_.values.size());
    pickle_.values.push_back(std::move(value));
    put_on_stack(static_cast<std::uint32_t>(pickle_.values.size() - 1));
  }
  void put_on_stack(std::uint32_t index) {
    expect_few(stack_.size());
    stack_.push_back(index);
  }
  void push_integer(std::int64_t value) { push({.kind = Kind::integer, .number = value}); }
  void push_tuple(std::size_t count) { push({.kind = Kind::tuple, .items = pop_last(count)}); }

  void push_text() {
    const auto text = take(number(4));
    if (utf8::find_invalid(text)) damaged("has a text that is not UTF-8");
    push({.kind = Kind::text, .text = text});
  }

  std::uint32_t top() const {
    if (stack_.empty() || stack_.back() == mark) damaged("uses a value that is not there");
    return stack_.back();
  }
  std::uint32_t pop() {
    const auto value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<std::uint32_t> pop_last(std::size_t count) {
    std::vector<std::uint32_t> items(count);
    for (auto i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  std::vector<std::uint32_t> pop_to_mark() {
    const auto found = std::find(stack_.rbegin(), stack_.rend(), mark);
    if (found == stack_.rend()) damaged("has the end of a list without its begin");
    std::vector<std::uint32_t> items(found.base(), stack_.end());
    stack_.erase(found.base() - 1, stack_.end());
    return items;
  }

  /// \throws FormatError if there are as many as no dict of tensors in such a file has
  void expect_few(std::size_t count) const {
    if (count >= most_values_)
      refuse(concat("has more than ", most_values_, " values, too many for a file of this size; ",
                    remedy_));
  }

  void store(std::uint64_t place) {
    expect_few(memo_.size());
    memo_[place] = top();
  }

  /// The items of a value for another; one value may be copied many times.
  const std::vector<std::uint32_t>& copied_items(std::uint32_t index) {
    copied_ += pickle_[index].items.size();
    expect_few(copied_);
    return pickle_[index].items;
  }

  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) damaged("recalls a value that it has not stored");
    put_on_stack(found->second);
  }

  void add_to(Kind kind, const std::vector<std::uint32_t>& items) {
    auto& value = pickle_.values[top()];
    if (value.kind != kind || (kind == Kind::dict && items.size() % 2 != 0))
      damaged("adds to a value of another kind");
    value.items.insert(value.items.end(), items.begin(), items.end());
  }

  void push_function() {
    const auto begin = at_;
    const auto module = line(), name = line();
    const auto text = concat(module, ' ', name);
    if (std::ranges::find(functions_, text) == functions_.end())
      throw FormatError(concat(place_, ": byte ", begin, ": names ", printable(module, 60), '.',
                               printable(name, 60),
                               ", which is not part of a dict of tensors, and this program runs "
                               "nothing that a file names; ",
                               remedy_));
    push({.kind = Kind::function, .text = *std::ranges::find(functions_, text)});
  }

  /// An OrderedDict without arguments is a dict; other calls are written down.
  void call() {
    const auto both = pop_last(2);
    const auto &function = pickle_[both[0]], &arguments = pickle_[both[1]];
    if (function.kind != Kind::function || arguments.kind != Kind::tuple)
      damaged("calls what is not a function");
    if (function.text == "collections OrderedDict" && arguments.items.empty())
      push({.kind = Kind::dict});
    else
      push({.kind = Kind::call, .items = both});
  }

  /// An object before it has attributes. Its class says nothing: only few are known.
  void push_object() {
    const auto both = pop_last(2);
    if (pickle_[both[0]].kind != Kind::function || pickle_[both[1]].kind != Kind::tuple ||
        !pickle_[both[1]].items.empty())
      damaged("makes an object of what is not a class");
    push({.kind = Kind::object});
  }

  void push_storage() {
    const auto id = pop();
    if (pickle_[id].kind != Kind::tuple) damaged("has a storage without a description");
    push({.kind = Kind::storage, .items = copied_items(id)});
  }

  /// Attributes of a dict, such as the `_metadata` of a state dict, say nothing of its tensors.
  void build() {
    const auto state = pop();
    auto& value = pickle_.values[top()];
    if (value.kind == Kind::object && pickle_[state].kind == Kind::dict)
      value.items = copied_items(state);
    else if (value.kind != Kind::dict)
      refuse(concat("sets the attributes of a value that is not a dict; ", remedy_));
  }

  std::string_view bytes_;
  std::size_t most_values_;
  const std::vector<std::string_view>& functions_;
  const std::string& place_;
  std::string_view remedy_;
  std::size_t at_ = 0, copied_ = 0;
  Pickle pickle_;
  std::vector<std::uint32_t> stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes, std::size_t most_values,
                   const std::vector<std::string_view>& functions, const std::string& place,
                   std::string_view remedy) {
  if (bytes.size() > longest_pickle)
    throw FormatError(concat(place, ": has ", bytes.size(), " bytes, more than ", longest_pickle,
                             "; a dict of tensors has fewer"));
  return PickleReader(bytes, most_values, functions, place, remedy).read();
}

}  // namespace dragoman

// A pickle as a tree of inert values. Nothing is imported, called or executed: what a pickle would call is a value of
// kind kObject that says which callable with which arguments, and a callable outside of the list of pickle_globals.hpp
// is refused. Protocols 2 to 5. Values live in one array, so a pickle that holds itself is no loop of pointers.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zerocts::read {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

enum class Kind : uint8_t {
  kNone,
  kBool,
  kInteger,      // of 64 bits
  kHugeInteger,  // of more: its little-endian bytes
  kFloat,
  kText,
  kBytes,
  kList,
  kTuple,
  kDict,  // children: key, value, key, value, ..
  kSet,
  kGlobal,     // children: module, name
  kObject,     // children: callable, arguments, state or kNoValue, then what was appended, or keys and values in turn
  kPersistent  // children: what torch calls the persistent id of a storage
};
const char* NameOf(Kind kind);  // "a list"

struct Value {
  Kind kind = Kind::kNone;
  uint16_t depth = 1;  // levels of values in it when it was made
  std::variant<std::monostate, bool, int64_t, double, std::string_view, std::vector<ValueId>> data;
};

/// How much a pickle may be; all together keep a reader below 256 MB.
struct PickleLimits {
  size_t bytes = size_t{32} << 20;
  size_t values = size_t{1} << 21;
  size_t elements = size_t{1} << 22;  // of all lists, tuples and dicts
  size_t stack = size_t{1} << 21;
  size_t memo = size_t{1} << 21;
  uint16_t depth = 256;
};

class Pickle {
 public:
  /// Throws std::invalid_argument: one sentence, with the byte at which the pickle is no pickle that we read.
  explicit Pickle(std::string bytes, const PickleLimits& limits = {});
  Pickle(const Pickle&) = delete;  // texts point into bytes_
  Pickle& operator=(const Pickle&) = delete;

  const Value& operator[](ValueId id) const { return values_[id]; }
  ValueId root() const { return root_; }
  size_t size() const { return values_.size(); }

 private:
  const std::string bytes_;
  std::deque<Value> values_;
  ValueId root_ = kNoValue;
};

}  // namespace zerocts::read

// Asks a value of a pickle what it is. A question that does not fit it throws std::invalid_argument with what was
// expected, where, and what was got.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "conformance/plans/read/pickle/pickle.hpp"

namespace zerocts::read {

class PickleView {
 public:
  /// `where` is for sentences, and is not copied.
  PickleView(const Pickle& pickle, ValueId id, std::string_view where) : pickle_(&pickle), id_(id), where_(where) {}
  explicit PickleView(const Pickle& pickle) : PickleView(pickle, pickle.root(), "the pickle") {}

  Kind kind() const { return value().kind; }
  bool IsNone() const { return kind() == Kind::kNone; }
  bool IsDict() const { return kind() == Kind::kDict || Calls("collections", "OrderedDict"); }
  /// An object that `module`.`name` would make.
  bool Calls(std::string_view module, std::string_view name) const;
  bool Names(std::string_view module, std::string_view name) const;

  int64_t Integer() const;
  int64_t Size() const;  // an integer of at least 0
  bool Bool() const;
  std::string_view Text() const;
  std::string_view Utf8() const;  // a text that is safe to print and to write as JSON
  std::string_view Name() const;  // of a global, without its module
  PickleView Persistent() const;

  /// The elements of a list, a tuple, a torch.Size.
  size_t length() const { return Elements().size(); }
  PickleView operator[](size_t index) const;

  /// The keys and values of a dict, an OrderedDict.
  size_t pairs() const;
  PickleView Key(size_t index) const;
  PickleView Of(size_t index) const;
  std::optional<PickleView> Find(std::string_view key) const;
  PickleView At(std::string_view key) const;

  /// The arguments that an object is made with, and its state.
  PickleView Arguments() const;
  PickleView Argument(size_t index) const { return Arguments()[index]; }
  PickleView State() const;

  [[noreturn]] void ThrowUnlike(std::string_view expected) const;

 private:
  const Value& value() const { return (*pickle_)[id_]; }
  PickleView With(ValueId id) const { return {*pickle_, id, where_}; }
  const std::vector<ValueId>& Children() const { return std::get<std::vector<ValueId>>(value().data); }
  const std::vector<ValueId>& Elements() const;
  std::span<const ValueId> KeysAndValues() const;  // in turn

  const Pickle* pickle_;
  ValueId id_;
  std::string_view where_;
};

}  // namespace zerocts::read

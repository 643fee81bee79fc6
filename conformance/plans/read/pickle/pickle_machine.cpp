#include "conformance/plans/read/pickle/pickle_machine.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "conformance/plans/read/pickle/pickle_globals.hpp"
#include "conformance/plans/read/pickle/pickle_opcodes.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts::read {
namespace {

using namespace opcode;

constexpr uint64_t kLeastProtocol = 2, kMostProtocol = 5;

}  // namespace

void PickleMachine::Throw(const std::string& what) const {
  throw std::invalid_argument(fmt::format("byte {} of the pickle: {}", at_, what));
}

ValueId PickleMachine::Run() {
  if (bytes_.size() > limits_.bytes)
    Throw(fmt::format("it has {} bytes: expected at most {}", bytes_.size(), limits_.bytes));
  if (Take(1)[0] != static_cast<char>(kProto)) Throw("expected a pickle of protocol 2 to 5, got something else");
  const uint64_t protocol = TakeNumber(1);
  if (protocol < kLeastProtocol || protocol > kMostProtocol)
    Throw(fmt::format("expected protocol 2 to 5, got {}", protocol));
  for (;;) {
    const auto opcode = static_cast<uint8_t>(Take(1)[0]);
    if (opcode == kStop) break;
    if (!RunScalar(opcode) && !RunText(opcode) && !RunContainer(opcode) && !RunStack(opcode) && !RunMemo(opcode) &&
        !RunObject(opcode))
      Throw(fmt::format("expected an instruction of protocols 2 to 5, got 0x{:02x}", opcode));
  }
  return Pop();
}

bool PickleMachine::RunScalar(uint8_t opcode) {
  switch (opcode) {
    case kNone: return Push({Kind::kNone, 1, {}}), true;
    case kNewTrue: return Push({Kind::kBool, 1, true}), true;
    case kNewFalse: return Push({Kind::kBool, 1, false}), true;
    case kBinInt: return Push({Kind::kInteger, 1, TakeInteger(4)}), true;
    case kBinInt1: return Push({Kind::kInteger, 1, static_cast<int64_t>(TakeNumber(1))}), true;
    case kBinInt2: return Push({Kind::kInteger, 1, static_cast<int64_t>(TakeNumber(2))}), true;
    case kLong1: return PushLong(TakeNumber(1)), true;
    case kLong4: return PushLong(TakeNumber(4)), true;
    case kBinFloat: return PushFloat(), true;
    default: return false;
  }
}

bool PickleMachine::RunText(uint8_t opcode) {
  switch (opcode) {
    case kShortBinString:
    case kShortBinUnicode: return Push({Kind::kText, 1, Take(TakeNumber(1))}), true;
    case kBinString:
    case kBinUnicode: return Push({Kind::kText, 1, Take(TakeNumber(4))}), true;
    case kBinUnicode8: return Push({Kind::kText, 1, Take(TakeNumber(8))}), true;
    case kShortBinBytes: return Push({Kind::kBytes, 1, Take(TakeNumber(1))}), true;
    case kBinBytes: return Push({Kind::kBytes, 1, Take(TakeNumber(4))}), true;
    case kBinBytes8:
    case kByteArray8: return Push({Kind::kBytes, 1, Take(TakeNumber(8))}), true;
    default: return false;
  }
}

bool PickleMachine::RunContainer(uint8_t opcode) {
  switch (opcode) {
    case kEmptyList: return PushContainer(Kind::kList, {}), true;
    case kEmptyTuple: return PushContainer(Kind::kTuple, {}), true;
    case kEmptyDict: return PushContainer(Kind::kDict, {}), true;
    case kEmptySet: return PushContainer(Kind::kSet, {}), true;
    case kList: return PushContainer(Kind::kList, PopToMark()), true;
    case kTuple: return PushContainer(Kind::kTuple, PopToMark()), true;
    case kFrozenSet: return PushContainer(Kind::kSet, PopToMark()), true;
    case kTuple1: return PushContainer(Kind::kTuple, PopSeveral(1)), true;
    case kTuple2: return PushContainer(Kind::kTuple, PopSeveral(2)), true;
    case kTuple3: return PushContainer(Kind::kTuple, PopSeveral(3)), true;
    default: break;
  }
  std::vector<ValueId> children;
  switch (opcode) {
    case kAppend: children = PopSeveral(1); break;
    case kSetItem: children = PopSeveral(2); break;
    case kDict:
    case kAppends:
    case kAddItems:
    case kSetItems: children = PopToMark(); break;
    default: return false;
  }
  if (opcode == kDict) PushContainer(Kind::kDict, {});
  Append(Top(), children, opcode == kSetItem || opcode == kSetItems || opcode == kDict);
  return true;
}

bool PickleMachine::RunStack(uint8_t opcode) {
  switch (opcode) {
    case kMark:
      if (marks_.size() >= limits_.depth) Throw(fmt::format("marks {} levels deep: refused", marks_.size() + 1));
      return marks_.push_back(stack_.size()), true;
    case kPop:
      if (!marks_.empty() && marks_.back() == stack_.size()) return marks_.pop_back(), true;
      return Pop(), true;
    case kPopMark: return PopToMark(), true;
    case kDup: return PushId(Top()), true;
    case kFrame: return TakeNumber(8), true;  // only a hint for buffers
    default: return false;
  }
}

bool PickleMachine::RunMemo(uint8_t opcode) {
  switch (opcode) {
    case kBinPut: return Memoize(TakeNumber(1), Top()), true;
    case kLongBinPut: return Memoize(TakeNumber(4), Top()), true;
    case kMemoize: return Memoize(memo_.size(), Top()), true;
    case kBinGet:
    case kLongBinGet: {
      const uint64_t index = TakeNumber(opcode == kBinGet ? 1 : 4);
      if (index >= memo_.size() || memo_[index] == kNoValue)
        Throw(fmt::format("expected a memo entry that was made, got {}", index));
      return PushId(memo_[index]), true;
    }
    default: return false;
  }
}

bool PickleMachine::RunObject(uint8_t opcode) {
  switch (opcode) {
    case kGlobal: {
      const std::string_view module = TakeLine();
      return PushGlobal(module, TakeLine()), true;
    }
    case kStackGlobal: {
      const std::vector<ValueId> both = PopSeveral(2);
      return PushGlobal(TextOf(both[0]), TextOf(both[1])), true;
    }
    case kReduce:
    case kNewObj: {
      const std::vector<ValueId> both = PopSeveral(2);
      return PushCall(both[0], both[1]), true;
    }
    case kNewObjEx: {
      const std::vector<ValueId> three = PopSeveral(3);  // class, arguments, arguments by name
      return PushCall(three[0], three[1]), true;
    }
    case kBuild: return Build(), true;
    case kBinPersId: return PushContainer(Kind::kPersistent, {Pop()}), true;
    default: return false;
  }
}

std::string_view PickleMachine::Take(uint64_t count) {
  if (count > bytes_.size() - at_)
    Throw(fmt::format("expected {} more bytes, the pickle ends {} bytes behind it", count, bytes_.size() - at_));
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::string_view PickleMachine::TakeLine() {
  const size_t end = bytes_.find('\n', at_);
  if (end == bytes_.npos) Throw("expected the end of a line, the pickle ends before it");
  const std::string_view line = Take(end - at_);
  Take(1);
  return line;
}

uint64_t PickleMachine::TakeNumber(int bytes) {
  const std::string_view taken = Take(bytes);
  uint64_t number = 0;
  for (int i = bytes - 1; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(taken[i]);
  return number;
}

int64_t PickleMachine::TakeInteger(int bytes) {
  if (bytes == 0) return 0;
  const int unused = 64 - 8 * bytes;
  return static_cast<int64_t>(TakeNumber(bytes) << unused) >> unused;
}

void PickleMachine::PushLong(uint64_t bytes) {
  if (bytes <= 8) return Push({Kind::kInteger, 1, TakeInteger(static_cast<int>(bytes))});
  Push({Kind::kHugeInteger, 1, Take(bytes)});
}

void PickleMachine::PushFloat() {
  uint64_t bits = 0;
  for (const char byte : Take(8)) bits = bits << 8 | static_cast<uint8_t>(byte);  // big-endian, unlike all others
  Push({Kind::kFloat, 1, std::bit_cast<double>(bits)});
}

ValueId PickleMachine::Make(Value value) {
  if (values_.size() >= limits_.values) Throw(fmt::format("more than {} values: refused", limits_.values));
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

void PickleMachine::PushId(ValueId id) {
  if (stack_.size() >= limits_.stack) Throw(fmt::format("more than {} values on its stack: refused", limits_.stack));
  stack_.push_back(id);
}

ValueId PickleMachine::Top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) Throw("expected a value on the stack, got none");
  return stack_.back();
}

ValueId PickleMachine::Pop() {
  const ValueId top = Top();
  stack_.pop_back();
  return top;
}

std::vector<ValueId> PickleMachine::PopSeveral(int count) {
  std::vector<ValueId> popped(count);
  for (int i = count - 1; i >= 0; --i) popped[i] = Pop();
  return popped;
}

std::vector<ValueId> PickleMachine::PopToMark() {
  if (marks_.empty()) Throw("expected a mark on the stack, got none");
  const auto begin = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
  std::vector<ValueId> popped(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return popped;
}

void PickleMachine::PushContainer(Kind kind, std::vector<ValueId> children) {
  const ValueId id = Make({kind, 1, std::vector<ValueId>()});
  Adopt(values_[id], children);
  PushId(id);
}

/// Objects take values as lists do, and pairs as dicts do.
void PickleMachine::Append(ValueId container, const std::vector<ValueId>& children, bool pairs) {
  Value& value = values_[container];
  const bool takes = value.kind == Kind::kObject ||
                     (pairs ? value.kind == Kind::kDict : value.kind == Kind::kList || value.kind == Kind::kSet);
  if (!takes)
    Throw(fmt::format("expected {} to put values into, got {}", pairs ? "a dict" : "a list", NameOf(value.kind)));
  if (pairs && children.size() % 2 != 0) Throw("expected keys and values in turn, got a key without a value");
  Adopt(value, children);
}

void PickleMachine::Adopt(Value& value, const std::vector<ValueId>& children) {
  elements_ += children.size();
  if (elements_ > limits_.elements)
    Throw(fmt::format("more than {} elements of lists, tuples and dicts: refused", limits_.elements));
  for (const ValueId child : children) {
    if (child != kNoValue) Deepen(value, values_[child].depth);
  }
  auto& all = std::get<std::vector<ValueId>>(value.data);
  all.insert(all.end(), children.begin(), children.end());
}

/// `value` takes a child with so many levels.
void PickleMachine::Deepen(Value& value, int of_child) {
  if (of_child >= limits_.depth)
    Throw(fmt::format("values {} levels deep: expected at most {}", of_child + 1, limits_.depth));
  value.depth = std::max(value.depth, static_cast<uint16_t>(of_child + 1));
}

void PickleMachine::PushGlobal(std::string_view module, std::string_view name) {
  if (!IsKnownGlobal(module, name))
    Throw(fmt::format("it names {}.{}, which is not in the list; not a checkpoint that this reader knows",
                      ShownBytes(module), ShownBytes(name)));
  const ValueId of_module = Make({Kind::kText, 1, module}), of_name = Make({Kind::kText, 1, name});
  PushContainer(Kind::kGlobal, {of_module, of_name});
}

void PickleMachine::PushCall(ValueId callable, ValueId arguments) {
  if (values_[callable].kind != Kind::kGlobal)
    Throw(fmt::format("expected a name of the list to be called, got {}", NameOf(values_[callable].kind)));
  if (values_[arguments].kind != Kind::kTuple)
    Throw(fmt::format("expected a tuple of arguments, got {}", NameOf(values_[arguments].kind)));
  PushContainer(Kind::kObject, {callable, arguments, kNoValue});
}

void PickleMachine::Build() {
  const ValueId state = Pop(), object = Top();
  if (values_[object].kind != Kind::kObject)
    Throw(fmt::format("expected an object that takes a state, got {}", NameOf(values_[object].kind)));
  Value& value = values_[object];
  Deepen(value, values_[state].depth);
  std::get<std::vector<ValueId>>(value.data)[2] = state;
}

void PickleMachine::Memoize(uint64_t index, ValueId id) {
  if (index >= limits_.memo) Throw(fmt::format("memo entry {}: expected at most {} entries", index, limits_.memo));
  if (index >= memo_.size()) memo_.resize(index + 1, kNoValue);
  memo_[index] = id;
}

std::string_view PickleMachine::TextOf(ValueId id) const {
  if (values_[id].kind != Kind::kText) Throw(fmt::format("expected a name as text, got {}", NameOf(values_[id].kind)));
  return std::get<std::string_view>(values_[id].data);
}

}  // namespace zerocts::read

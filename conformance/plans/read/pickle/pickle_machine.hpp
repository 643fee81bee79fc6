// The stack machine that a pickle is a program of.
#pragma once
#include <deque>
#include <string_view>
#include <vector>

#include "conformance/plans/read/pickle/pickle.hpp"

namespace zerocts::read {

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const PickleLimits& limits, std::deque<Value>& values)
      : bytes_(bytes), limits_(limits), values_(values) {}

  /// The value that is left. Throws std::invalid_argument.
  ValueId Run();

 private:
  // Each runs `opcode` if it is one of its kind.
  bool RunScalar(uint8_t opcode);
  bool RunText(uint8_t opcode);
  bool RunContainer(uint8_t opcode);
  bool RunStack(uint8_t opcode);
  bool RunMemo(uint8_t opcode);
  bool RunObject(uint8_t opcode);

  // What stands in the bytes.
  std::string_view Take(uint64_t count);
  std::string_view TakeLine();
  uint64_t TakeNumber(int bytes);  // little-endian
  int64_t TakeInteger(int bytes);  // likewise, with a sign
  void PushLong(uint64_t bytes);
  void PushFloat();

  // What stands on the stack.
  ValueId Make(Value value);
  void Push(Value value) { PushId(Make(std::move(value))); }
  void PushId(ValueId id);
  ValueId Pop();
  ValueId Top();
  std::vector<ValueId> PopToMark();
  std::vector<ValueId> PopSeveral(int count);

  // What values become.
  void PushContainer(Kind kind, std::vector<ValueId> children);
  void Append(ValueId container, const std::vector<ValueId>& children, bool pairs);
  void Adopt(Value& value, const std::vector<ValueId>& children);
  void Deepen(Value& value, int of_child);
  void PushGlobal(std::string_view module, std::string_view name);
  void PushCall(ValueId callable, ValueId arguments);
  void Build();
  void Memoize(uint64_t index, ValueId id);
  std::string_view TextOf(ValueId id) const;

  [[noreturn]] void Throw(const std::string& what) const;

  const std::string_view bytes_;
  const PickleLimits limits_;
  std::deque<Value>& values_;
  size_t at_ = 0, elements_ = 0;
  std::vector<ValueId> stack_, memo_;
  std::vector<size_t> marks_;  // sizes of the stack
};

}  // namespace zerocts::read

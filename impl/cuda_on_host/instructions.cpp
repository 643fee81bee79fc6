// What each instruction does, by its opcode. Integers wrap; shifts beyond the width clear; a minimum or maximum of a
// NaN and a number is the number. Floats are the host's IEEE arithmetic, which is that of .rn without .ftz.
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "impl/cuda_on_host/kernel.hpp"

namespace zerocts::engine::ptx {
namespace {

using Table = std::unordered_map<std::string, Instruction::Step>;

template <typename T>
T ValueOf(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <>
bool ValueOf<bool>(uint64_t bits) {
  return (bits & 1) != 0;
}

/// A signed value fills a wider register with its sign.
template <typename T>
uint64_t BitsOf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(value));
  } else {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
}

/// What an operand is for each thread.
template <typename T>
class In {
 public:
  In(const BlockState& block, Operand operand)
      : values_(operand.is_register ? block.registers + ptrdiff_t{operand.slot} * block.threads
                                    : block.same_for_all + operand.slot),
        mask_(operand.is_register ? -1 : 0) {}
  T operator[](int thread) const { return ValueOf<T>(values_[thread & mask_]); }

 private:
  const uint64_t* values_;
  int mask_;
};

/// The register of each thread that gets a result.
template <typename T>
class Out {
 public:
  Out(const BlockState& block, Operand operand) : values_(block.registers + ptrdiff_t{operand.slot} * block.threads) {}
  void Set(int thread, T value) const { values_[thread] = BitsOf<T>(value); }

 private:
  uint64_t* values_;
};

/// out = F(in ..)
template <auto F, typename Result, typename... Arguments>
void Apply(const Instruction& instruction, const Lanes& lanes, BlockState& block) {
  [&]<size_t... N>(std::index_sequence<N...>) {
    const Out<Result> out(block, instruction.operands[0]);
    const std::tuple in(In<Arguments>(block, instruction.operands[N + 1])...);
    lanes.Each([&](int thread) { out.Set(thread, static_cast<Result>(F(std::get<N>(in)[thread]...))); });
  }
  (std::index_sequence_for<Arguments...>());
}

/// The same of what throws Fault.
template <auto F, typename T>
void ApplyWatched(const Instruction& instruction, const Lanes& lanes, BlockState& block) {
  const Out<T> out(block, instruction.operands[0]);
  const In<T> a(block, instruction.operands[1]), b(block, instruction.operands[2]);
  lanes.Each([&](int thread) {
    block.thread = thread;
    out.Set(thread, F(a[thread], b[thread]));
  });
}

template <typename T>
std::string Name() {
  const std::string bits = std::to_string(8 * sizeof(T));
  return (std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "s" : "u") + bits;
}

// --- integers

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

template <typename T>
constexpr uint32_t kBits = 8 * sizeof(T);

template <typename T>
T Quotient(T a, T b) {
  if (b == 0) throw Fault("divides by zero");
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a));
  return static_cast<T>(a / b);
}

template <typename T>
T Remainder(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(Quotient(a, b)) * Unsigned<T>(b));
}

template <typename T>
T ShiftRight(T a, uint32_t n) {
  if (n < kBits<T>) return static_cast<T>(a >> n);
  return static_cast<T>(a < 0 ? -1 : 0);
}

/// b with the lowest `count` bits of a from bit `begin` on.
template <typename T>
T InsertBits(T a, T b, uint32_t begin, uint32_t count) {
  if (begin >= kBits<T>) return b;
  const T ones = count < kBits<T> ? static_cast<T>((T{1} << count) - 1) : static_cast<T>(-1);
  const T mask = static_cast<T>(ones << begin);
  return static_cast<T>((b & ~mask) | ((a << begin) & mask));
}

template <typename T>
void AddIntegers(Table& table) {
  const std::string t = "." + Name<T>();
  table["add" + t] = Apply<[](auto a, auto b) { return Unsigned<T>(a) + Unsigned<T>(b); }, T, T, T>;
  table["sub" + t] = Apply<[](auto a, auto b) { return Unsigned<T>(a) - Unsigned<T>(b); }, T, T, T>;
  table["mul.lo" + t] = Apply<[](auto a, auto b) { return uint64_t(Unsigned<T>(a)) * Unsigned<T>(b); }, T, T, T>;
  table["mad.lo" + t] =
      Apply<[](auto a, auto b, auto c) { return uint64_t(Unsigned<T>(a)) * Unsigned<T>(b) + Unsigned<T>(c); }, T, T, T,
            T>;
  table["div" + t] = ApplyWatched<Quotient<T>, T>;
  table["rem" + t] = ApplyWatched<Remainder<T>, T>;
  table["min" + t] = Apply<[](auto a, auto b) { return a < b ? a : b; }, T, T, T>;
  table["max" + t] = Apply<[](auto a, auto b) { return a < b ? b : a; }, T, T, T>;
  table["neg" + t] = Apply<[](auto a) { return Unsigned<T>(0) - Unsigned<T>(a); }, T, T>;
  table["shr" + t] = Apply<ShiftRight<T>, T, T, uint32_t>;
}

template <typename T>
void AddBits(Table& table) {
  const std::string t = ".b" + std::to_string(8 * sizeof(T));
  table["and" + t] = Apply<[](auto a, auto b) { return a & b; }, T, T, T>;
  table["or" + t] = Apply<[](auto a, auto b) { return a | b; }, T, T, T>;
  table["xor" + t] = Apply<[](auto a, auto b) { return a ^ b; }, T, T, T>;
  table["not" + t] = Apply<[](auto a) { return ~a; }, T, T>;
  table["mov" + t] = Apply<[](auto a) { return a; }, T, T>;
  table["selp" + t] = Apply<[](auto a, auto b, auto p) { return p ? a : b; }, T, T, T, bool>;
  table["setp.eq" + t] = Apply<[](auto a, auto b) { return a == b; }, bool, T, T>;
  table["setp.ne" + t] = Apply<[](auto a, auto b) { return a != b; }, bool, T, T>;
  table["shl" + t] = Apply<[](auto a, auto n) { return kBits<T> <= n ? T(0) : T(a << n); }, T, T, uint32_t>;
  table["bfi" + t] = Apply<InsertBits<T>, T, T, T, uint32_t, uint32_t>;
}

void AddPredicates(Table& table) {
  table["and.pred"] = Apply<[](bool a, bool b) { return a && b; }, bool, bool, bool>;
  table["or.pred"] = Apply<[](bool a, bool b) { return a || b; }, bool, bool, bool>;
  table["xor.pred"] = Apply<[](bool a, bool b) { return a != b; }, bool, bool, bool>;
  table["not.pred"] = Apply<[](bool a) { return !a; }, bool, bool>;
  table["mov.pred"] = Apply<[](bool a) { return a; }, bool, bool>;
}

template <typename Wide, typename T>
void AddWideProduct(Table& table) {
  table["mul.wide." + Name<T>()] = Apply<[](auto a, auto b) { return Wide(a) * Wide(b); }, Wide, T, T>;
}

// --- what every number has

template <typename T>
void AddNumbers(Table& table) {
  const std::string t = "." + Name<T>();
  table["mov" + t] = Apply<[](auto a) { return a; }, T, T>;
  table["selp" + t] = Apply<[](auto a, auto b, auto p) { return p ? a : b; }, T, T, T, bool>;
  table["setp.eq" + t] = Apply<[](auto a, auto b) { return a == b; }, bool, T, T>;
  table["setp.lt" + t] = Apply<[](auto a, auto b) { return a < b; }, bool, T, T>;
  table["setp.le" + t] = Apply<[](auto a, auto b) { return a <= b; }, bool, T, T>;
  table["setp.gt" + t] = Apply<[](auto a, auto b) { return b < a; }, bool, T, T>;
  table["setp.ge" + t] = Apply<[](auto a, auto b) { return b <= a; }, bool, T, T>;
  // False when one of two floats is a NaN.
  table["setp.ne" + t] = Apply<[](auto a, auto b) { return a < b || b < a; }, bool, T, T>;
}

// --- floats

template <typename T>
void AddFloats(Table& table) {
  const std::string t = "." + Name<T>(), rn = ".rn" + t;
  table["add" + rn] = Apply<[](auto a, auto b) { return a + b; }, T, T, T>;
  table["sub" + rn] = Apply<[](auto a, auto b) { return a - b; }, T, T, T>;
  table["mul" + rn] = Apply<[](auto a, auto b) { return a * b; }, T, T, T>;
  table["div" + rn] = Apply<[](auto a, auto b) { return a / b; }, T, T, T>;
  table["fma" + rn] = Apply<[](auto a, auto b, auto c) { return std::fma(a, b, c); }, T, T, T, T>;
  table["sqrt" + rn] = Apply<[](auto a) { return std::sqrt(a); }, T, T>;
  table["rcp" + rn] = Apply<[](auto a) { return T(1) / a; }, T, T>;
  table["neg" + t] = Apply<[](auto a) { return -a; }, T, T>;
  table["abs" + t] = Apply<[](auto a) { return std::fabs(a); }, T, T>;
  table["copysign" + t] = Apply<[](auto sign, auto a) { return std::copysign(a, sign); }, T, T, T>;
  table["min" + t] =
      Apply<[](auto a, auto b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }, T, T, T>;
  table["max" + t] =
      Apply<[](auto a, auto b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }, T, T, T>;
  table["setp.nan" + t] = Apply<[](auto a, auto b) { return std::isunordered(a, b); }, bool, T, T>;
  table["setp.num" + t] = Apply<[](auto a, auto b) { return !std::isunordered(a, b); }, bool, T, T>;
  table["setp.equ" + t] = Apply<[](auto a, auto b) { return !(a < b || b < a); }, bool, T, T>;
  table["setp.neu" + t] = Apply<[](auto a, auto b) { return a != b; }, bool, T, T>;
  table["setp.ltu" + t] = Apply<[](auto a, auto b) { return !(b <= a); }, bool, T, T>;
  table["setp.leu" + t] = Apply<[](auto a, auto b) { return !(b < a); }, bool, T, T>;
  table["setp.gtu" + t] = Apply<[](auto a, auto b) { return !(a <= b); }, bool, T, T>;
  table["setp.geu" + t] = Apply<[](auto a, auto b) { return !(a < b); }, bool, T, T>;
}

// --- conversions

template <typename To, typename From>
void AddConversion(Table& table, const char* rounding = "") {
  table["cvt" + std::string(rounding) + "." + Name<To>() + "." + Name<From>()] =
      Apply<[](auto a) { return static_cast<To>(a); }, To, From>;
}

template <typename To, typename... From>
void AddConversionsTo(Table& table) {
  (AddConversion<To, From>(table), ...);
}

template <typename... T>
void AddConversionsAmong(Table& table) {
  (AddConversionsTo<T, T...>(table), ...);
}

template <typename... From>
void AddConversionsToFloats(Table& table) {
  (AddConversion<float, From>(table, ".rn"), ...);
  (AddConversion<double, From>(table, ".rn"), ...);
}

// --- memory

enum class Space { kParameter, kLocal, kShared, kGlobal };
using Access = SharedMemory::Access;

template <Space S>
std::byte* Reach(BlockState& block, int thread, uint64_t address, int64_t bytes, Access access) {
  const BlockMemory& memory = *block.memory;
  block.thread = thread;
  if constexpr (S == Space::kGlobal) return memory.global.Reach(address, bytes);
  if constexpr (S == Space::kShared) return memory.shared.Reach(static_cast<uint32_t>(address), bytes, thread, access);
  if constexpr (S == Space::kLocal) {
    RequireInside("local", address, bytes, memory.local_bytes);
    return block.local + thread * memory.local_bytes + address;
  }
  RequireInside("parameter", address, bytes, std::ssize(memory.parameters));
  return const_cast<std::byte*>(memory.parameters.data()) + address;
}

/// One after the other: what is of one kind and stands in a row among the operands.
template <typename Of, size_t Count>
std::array<Of, Count> Row(const BlockState& block, const Instruction& instruction, size_t begin) {
  return [&]<size_t... N>(std::index_sequence<N...>) {
    return std::array<Of, Count>{Of(block, instruction.operands[begin + N])...};
  }
  (std::make_index_sequence<Count>());
}

/// Several values are one access, at a multiple of all their bytes.
template <Space S, typename T, int Count>
void Load(const Instruction& instruction, const Lanes& lanes, BlockState& block) {
  const std::array out = Row<Out<T>, Count>(block, instruction, 0);
  const In<uint64_t> address(block, instruction.operands[Count]);
  lanes.Each([&](int thread) {
    T values[Count];
    const uint64_t byte = address[thread] + static_cast<uint64_t>(instruction.offset);
    std::memcpy(values, Reach<S>(block, thread, byte, sizeof values, Access::kRead), sizeof values);
    for (int i = 0; i < Count; ++i) out[i].Set(thread, values[i]);
  });
}

template <Space S, typename T, int Count>
void Store(const Instruction& instruction, const Lanes& lanes, BlockState& block) {
  const In<uint64_t> address(block, instruction.operands[0]);
  const std::array in = Row<In<T>, Count>(block, instruction, 1);
  lanes.Each([&](int thread) {
    T values[Count];
    for (int i = 0; i < Count; ++i) values[i] = in[i][thread];
    const uint64_t byte = address[thread] + static_cast<uint64_t>(instruction.offset);
    std::memcpy(Reach<S>(block, thread, byte, sizeof values, Access::kWrite), values, sizeof values);
  });
}

/// Kernels of other streams may do the same at once.
template <Space S, typename T, auto F>
void Atomic(const Instruction& instruction, const Lanes& lanes, BlockState& block) {
  const Out<T> out(block, instruction.operands[0]);
  const In<uint64_t> address(block, instruction.operands[1]);
  const In<T> in(block, instruction.operands[2]);
  lanes.Each([&](int thread) {
    const uint64_t byte = address[thread] + static_cast<uint64_t>(instruction.offset);
    const std::atomic_ref<T> word(*reinterpret_cast<T*>(Reach<S>(block, thread, byte, sizeof(T), Access::kAtomic)));
    const T value = in[thread];
    T before = word.load();
    while (!word.compare_exchange_weak(before, F(before, value))) {
    }
    out.Set(thread, before);
  });
}

template <Space S, typename T>
void AddLoadsAndStores(Table& table, const std::string& space, const std::string& type) {
  table["ld." + space + "." + type] = Load<S, T, 1>;
  table["ld." + space + ".v2." + type] = Load<S, T, 2>;
  table["ld." + space + ".v4." + type] = Load<S, T, 4>;
  if (S == Space::kParameter) return;
  table["st." + space + "." + type] = Store<S, T, 1>;
  table["st." + space + ".v2." + type] = Store<S, T, 2>;
  table["st." + space + ".v4." + type] = Store<S, T, 4>;
}

template <Space S>
void AddMemory(Table& table, const std::string& space) {
  AddLoadsAndStores<S, uint8_t>(table, space, "u8");
  AddLoadsAndStores<S, uint16_t>(table, space, "u16");
  AddLoadsAndStores<S, uint32_t>(table, space, "u32");
  AddLoadsAndStores<S, uint64_t>(table, space, "u64");
  AddLoadsAndStores<S, int32_t>(table, space, "s32");
  AddLoadsAndStores<S, int64_t>(table, space, "s64");
  AddLoadsAndStores<S, float>(table, space, "f32");
  AddLoadsAndStores<S, double>(table, space, "f64");
}

template <Space S>
void AddAtomics(Table& table, const std::string& space) {
  table["atom." + space + ".add.u64"] = Atomic<S, uint64_t, [](uint64_t a, uint64_t b) { return a + b; }>;
  table["atom." + space + ".max.u32"] = Atomic<S, uint32_t, [](uint32_t a, uint32_t b) { return a < b ? b : a; }>;
}

Table AllSteps() {
  Table table;
  AddIntegers<int16_t>(table);
  AddIntegers<int32_t>(table);
  AddIntegers<int64_t>(table);
  AddIntegers<uint16_t>(table);
  AddIntegers<uint32_t>(table);
  AddIntegers<uint64_t>(table);
  AddBits<uint16_t>(table);
  AddBits<uint32_t>(table);
  AddBits<uint64_t>(table);
  AddPredicates(table);
  AddWideProduct<int64_t, int32_t>(table);
  AddWideProduct<uint64_t, uint32_t>(table);
  AddNumbers<int16_t>(table);
  AddNumbers<int32_t>(table);
  AddNumbers<int64_t>(table);
  AddNumbers<uint16_t>(table);
  AddNumbers<uint32_t>(table);
  AddNumbers<uint64_t>(table);
  AddNumbers<float>(table);
  AddNumbers<double>(table);
  AddFloats<float>(table);
  AddFloats<double>(table);
  AddConversionsAmong<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(table);
  AddConversionsToFloats<int32_t, int64_t, uint32_t, uint64_t>(table);
  AddConversion<float, double>(table, ".rn");
  AddConversion<double, float>(table);
  table["cvta.to.global.u64"] = table.at("mov.u64");
  AddMemory<Space::kParameter>(table, "param");
  AddMemory<Space::kLocal>(table, "local");
  AddMemory<Space::kShared>(table, "shared");
  AddMemory<Space::kGlobal>(table, "global");
  AddAtomics<Space::kShared>(table, "shared");
  AddAtomics<Space::kGlobal>(table, "global");
  return table;
}

}  // namespace

Instruction::Step StepOf(const std::string& opcode) {
  static const Table steps = AllSteps();
  const auto found = steps.find(opcode);
  return found == steps.end() ? nullptr : found->second;
}

}  // namespace zerocts::engine::ptx

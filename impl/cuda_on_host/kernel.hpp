// Kernels as their PTX says them, ready to be interpreted.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "impl/cuda_on_host/memory.hpp"

namespace zerocts::engine::ptx {

/// What all threads of a block reach.
struct BlockMemory {
  const std::vector<std::byte>& parameters;
  SharedMemory& shared;
  const GlobalMemory& global;
  int64_t local_bytes;  // of each thread
};

/// Threads of a block that stand at the same instruction, in ascending order.
struct Lanes {
  std::vector<int> threads;

  template <typename Body>
  void Each(const Body& body) const {
    if (threads.empty()) return;
    const int first = threads.front(), end = threads.back() + 1;
    if (end - first == static_cast<int>(threads.size())) {
      for (int thread = first; thread < end; ++thread) body(thread);
    } else {
      for (const int thread : threads) body(thread);
    }
  }
};

/// A value is a register, of which each thread has its own, or the same for all threads of a block: a constant of the
/// kernel or a special register. It stands in its low bits, whatever its type.
struct Operand {
  int slot = 0;
  bool is_register = false;
};

/// What the instructions of a block read and write.
struct BlockState {
  int threads;
  uint64_t* same_for_all;
  uint64_t* registers;  // [register][thread]
  std::byte* local;     // [thread][byte]
  const BlockMemory* memory;
  int thread = 0;  // the one that last did what can fail
};

struct Instruction {
  enum class Kind { kStep, kBranch, kBarrier, kReturn };
  using Step = void (*)(const Instruction& instruction, const Lanes& lanes, BlockState& block);

  Kind kind = Kind::kStep;
  Step step = nullptr;                // of kStep
  bool is_guarded = false;            // a branch that not all threads take
  Operand guard;                      // a predicate
  bool guard_value = true;            // what it must be
  std::array<Operand, 6> operands{};  // out, then in; an address stands at its index
  int64_t offset = 0;                 // of the address
  int target = -1;                    // of kBranch
  int line = 0;                       // of the PTX
};

/// The special registers that are the same for all threads of a block, first among such values.
enum SpecialValue { kBlock, kThreads, kBlocks, kSpecialValues };
/// The first register: the thread's index in its block.
inline constexpr int kThreadRegister = 0;

struct Kernel {
  struct Parameter {
    int64_t offset, bytes;
  };
  std::string name;
  std::vector<Parameter> parameters;
  int64_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  std::vector<uint64_t> same_for_all;  // constants, behind the slots of special values
  int registers = 0;
  std::vector<Instruction> instructions;
};

/// By name. Throws std::runtime_error with the line for what it does not know.
std::map<std::string, Kernel> KernelsOf(std::string_view text);

/// The step of an opcode such as "add.rn.f32" or "ld.global.v2.f32"; nullptr for one that is not known.
Instruction::Step StepOf(const std::string& opcode);

/// Block after block, as long as `goes_on`. Throws Fault: kernel, block, thread, line and reason.
void RunGrid(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
             int threads, const std::function<bool()>& goes_on);

}  // namespace zerocts::engine::ptx

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

struct Instruction;

/// A thread of a block. A slot holds a register, whatever its type, in its low bits, or a constant of the kernel.
struct Lane {
  uint64_t* slots;
  int thread;
  int next = 0;  // instruction
  std::byte* local;
  const struct BlockMemory* memory;
};

/// What all threads of a block reach.
struct BlockMemory {
  const std::vector<std::byte>& parameters;
  SharedMemory& shared;
  const GlobalMemory& global;
  int64_t local_bytes;  // of each thread
};

struct Instruction {
  enum class Kind { kStep, kBranch, kBarrier, kReturn };
  using Step = void (*)(const Instruction& instruction, Lane& lane);

  Kind kind = Kind::kStep;
  Step step = nullptr;         // of kStep
  int guard = -1;              // slot of a predicate; -1: none
  bool guard_value = true;     // what it must be
  std::array<int, 6> slots{};  // out, then in; an address stands at its place
  int64_t offset = 0;          // of the address
  int target = -1;             // of kBranch
  int line = 0;                // of the PTX
};

/// The special registers, in the first slots.
enum SpecialSlot { kThread, kBlock, kThreads, kBlocks, kSpecialSlots };

struct Kernel {
  struct Parameter {
    int64_t offset, bytes;
  };
  std::string name;
  std::vector<Parameter> parameters;
  int64_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  std::vector<uint64_t> slots;  // as a thread begins: constants, and registers that hold nothing yet
  std::vector<Instruction> instructions;
  bool has_barriers = false;
};

/// By name. Throws std::runtime_error with the line for what it does not know.
std::map<std::string, Kernel> KernelsOf(std::string_view text);

/// The step of an opcode such as "add.rn.f32" or "ld.global.v2.f32"; nullptr for one that is not known.
Instruction::Step StepOf(const std::string& opcode);

/// Block after block, of each the threads in turn between barriers, as long as `goes_on`. Throws Fault: kernel, block,
/// thread, line and reason.
void RunGrid(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
             int threads, const std::function<bool()>& goes_on);

}  // namespace zerocts::engine::ptx

// A launch of a kernel: its blocks in turn, and of each the threads.
#include <fmt/format.h>

#include "impl/cuda_on_host/kernel.hpp"

namespace zerocts::engine::ptx {
namespace {

enum class Pause { kBarrier, kEnd };

/// Until the next barrier or the end.
Pause Run(const Kernel& kernel, Lane& lane) {
  while (true) {
    const Instruction& instruction = kernel.instructions[lane.next];
    const bool holds = instruction.guard < 0 || ((lane.slots[instruction.guard] & 1) != 0) == instruction.guard_value;
    ++lane.next;
    if (!holds) continue;
    switch (instruction.kind) {
      case Instruction::Kind::kStep: instruction.step(instruction, lane); break;
      case Instruction::Kind::kBranch: lane.next = instruction.target; break;
      case Instruction::Kind::kBarrier: return Pause::kBarrier;
      case Instruction::Kind::kReturn: return Pause::kEnd;
    }
  }
}

Pause RunNamed(const Kernel& kernel, Lane& lane, int64_t block) {
  try {
    return Run(kernel, lane);
  } catch (const Fault& fault) {
    throw Fault(fmt::format("kernel {}, block {}, thread {}, line {} of the PTX: {}", kernel.name, block, lane.thread,
                            kernel.instructions[lane.next - 1].line, fault.what()));
  }
}

/// What the threads of a launch write to, kept by the stream for its next one: fresh memory would cost more than most
/// launches.
struct Workspace {
  std::vector<uint64_t> slots;
  std::vector<std::byte> local;
  std::vector<Lane> lanes;
};

/// The blocks of a launch, one after the other. Threads that meet at no barrier need no slots of their own.
class Blocks {
 public:
  Blocks(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
         int threads, Workspace& workspace)
      : kernel_(kernel),
        parameters_(parameters),
        global_(global),
        blocks_(blocks),
        threads_(threads),
        shared_(kernel.shared_bytes),
        slots_(workspace.slots),
        local_(workspace.local),
        lanes_(workspace.lanes) {
    const int places = kernel.has_barriers ? threads : 1;
    slots_.clear();
    for (int place = 0; place < places; ++place) slots_.insert(slots_.end(), kernel.slots.begin(), kernel.slots.end());
    local_.assign(places * kernel.local_bytes, std::byte{0});
  }

  void Run(int64_t block) {
    shared_.BeginBlock();
    const BlockMemory memory{parameters_, shared_, global_, kernel_.local_bytes};
    if (kernel_.has_barriers) {
      RunTogether(memory, block);
    } else {
      for (int thread = 0; thread < threads_; ++thread) {
        Lane lane = LaneAt(0, thread, block, memory);
        RunNamed(kernel_, lane, block);
      }
    }
  }

 private:
  /// What an earlier thread left in the registers there is no more defined than on a GPU.
  Lane LaneAt(int place, int thread, int64_t block, const BlockMemory& memory) {
    uint64_t* slots = slots_.data() + place * kernel_.slots.size();
    slots[kThread] = static_cast<uint64_t>(thread);
    slots[kBlock] = static_cast<uint64_t>(block);
    slots[kThreads] = static_cast<uint64_t>(threads_);
    slots[kBlocks] = static_cast<uint64_t>(blocks_);
    return {.slots = slots, .thread = thread, .local = local_.data() + place * kernel_.local_bytes, .memory = &memory};
  }

  void RunTogether(const BlockMemory& memory, int64_t block) {
    lanes_.clear();
    for (int thread = 0; thread < threads_; ++thread) lanes_.push_back(LaneAt(thread, thread, block, memory));
    while (true) {
      const Pause first = RunNamed(kernel_, lanes_[0], block);
      for (int thread = 1; thread < threads_; ++thread) {
        const Pause pause = RunNamed(kernel_, lanes_[thread], block);
        if (pause == first && (pause == Pause::kEnd || lanes_[thread].next == lanes_[0].next)) continue;
        throw Fault(
            fmt::format("kernel {}, block {}: thread 0 stops at line {} of the PTX and thread {} at line {}: expected "
                        "the same barrier",
                        kernel_.name, block, kernel_.instructions[lanes_[0].next - 1].line, thread,
                        kernel_.instructions[lanes_[thread].next - 1].line));
      }
      if (first == Pause::kEnd) return;
      shared_.PassBarrier();
    }
  }

  const Kernel& kernel_;
  const std::vector<std::byte>& parameters_;
  const GlobalMemory& global_;
  const int64_t blocks_;
  const int threads_;
  SharedMemory shared_;
  std::vector<uint64_t>& slots_;
  std::vector<std::byte>& local_;
  std::vector<Lane>& lanes_;
};

}  // namespace

void RunGrid(const Kernel& kernel, const std::vector<std::byte>& parameters, const GlobalMemory& global, int64_t blocks,
             int threads, const std::function<bool()>& goes_on) {
  static thread_local Workspace workspace;
  Blocks all(kernel, parameters, global, blocks, threads, workspace);
  for (int64_t block = 0; block < blocks && goes_on(); ++block) all.Run(block);
}

}  // namespace zerocts::engine::ptx

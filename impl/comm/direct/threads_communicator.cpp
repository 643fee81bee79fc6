// Ranks are threads of one process.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/direct/communicator.hpp"
#include "impl/comm/store.hpp"

namespace zerocts::engine {
namespace {

/// A shared block on the heap; the last rank that leaves frees it.
std::shared_ptr<SharedBlock> NewBlock(int world_size, uint64_t nonce) {
  const auto bytes = static_cast<size_t>(SharedBlock::BytesFor(world_size));
  const auto alignment = std::align_val_t{alignof(SharedBlock)};
  void* memory = ::operator new(bytes, alignment);
  return {SharedBlock::In(memory, world_size, nonce),
          [=](SharedBlock* block) { ::operator delete(block, bytes, alignment); }};
}

/// Tells this process from every other, also from a forked one and from one of another host with the same pid.
struct ProcessId {
  int64_t pid;
  uint64_t nonce;
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

ProcessId ThisProcess() {
  static const uint64_t nonce = RandomNonce();
  return {getpid(), nonce};
}

/// The blocks of this process, found by number. Holds none alive.
class Blocks {
 public:
  static Blocks& OfThisProcess() {
    static Blocks blocks;
    return blocks;
  }

  std::shared_ptr<SharedBlock> Add(int world_size, uint64_t* number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(blocks_, [](const auto& entry) { return entry.second.expired(); });
    *number = ++last_number_;
    auto block = NewBlock(world_size, *number);
    blocks_[*number] = block;
    return block;
  }

  std::shared_ptr<SharedBlock> Find(uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto entry = blocks_.find(number);
    return entry == blocks_.end() ? nullptr : entry->second.lock();
  }

 private:
  std::mutex mutex_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, std::weak_ptr<SharedBlock>> blocks_;
};

struct ThreadsAddress {
  ProcessId process;
  uint64_t number;
};

class ThreadsCommunicator : public DirectCommunicator {
 public:
  explicit ThreadsCommunicator(const CommunicatorSettings& settings) : DirectCommunicator("threads", settings) {
    Join(FindBlock());
  }

 protected:
  std::vector<std::byte*> Map(int64_t bytes, MemoryKind kind, const std::function<void()>& barrier) override {
    void* mine = settings().device->Allocate(bytes, kind);
    try {
      std::vector<std::byte*> of_rank;
      block().slot(rank()).allocation = mine;
      barrier();  // every address is written
      for (int peer = 0; peer < world_size(); ++peer) {
        of_rank.push_back(static_cast<std::byte*>(block().slot(peer).allocation));
      }
      barrier();  // every address is read
      return of_rank;
    } catch (...) {
      settings().device->Free(mine);
      throw;
    }
  }

  void Unmap(std::byte* own) override { settings().device->Free(own); }

 private:
  std::shared_ptr<SharedBlock> FindBlock() {
    const std::string key = group().Key("threads");
    Blocks& blocks = Blocks::OfThisProcess();
    if (rank() == 0) {
      uint64_t number = 0;
      auto block = blocks.Add(world_size(), &number);
      SetValue(settings().store, key, ThreadsAddress{ThisProcess(), number});
      return block;
    }
    const auto address = GetValue<ThreadsAddress>(settings().store, key);
    if (address.process != ThisProcess()) {
      throw std::invalid_argument(fmt::format(
          "comm threads: rank {} is in another process than rank {}; expected ranks that are threads of one "
          "process, or comm shm or mpi",
          group().members[rank()], group().members[0]));
    }
    auto block = blocks.Find(address.number);
    if (!block) {
      throw CollectiveTimeout(fmt::format("join #1 (threads): rank {} gave up before rank {} came", group().members[0],
                                          group().members[rank()]));
    }
    return block;
  }
};

}  // namespace

std::unique_ptr<Communicator> MakeThreadsCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<ThreadsCommunicator>(settings);
}

}  // namespace zerocts::engine

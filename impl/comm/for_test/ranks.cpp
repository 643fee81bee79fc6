#include "impl/comm/for_test/ranks.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts::engine {
namespace {

struct Published {
  std::atomic<bool> here;
  char key[64], value[128];
};

/// Published values and one sentence per rank, in memory that threads and forked processes share.
struct SharedTable {
  static constexpr int kRanks = 1024, kValues = 2 * kRanks;
  std::atomic<int> taken;
  Published values[kValues];
  char sentence[kRanks][512];

  const Published* Find(const std::string& key) const {
    for (const Published& entry : values) {
      if (entry.here && key == entry.key) return &entry;
    }
    return nullptr;
  }
};

SharedTable* NewTable() {
  void* memory = mmap(nullptr, sizeof(SharedTable), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) SharedTable{};
}

Store StoreIn(SharedTable& table, std::chrono::milliseconds deadline) {
  Store store;
  store.set = [&table](const std::string& key, const std::string& value) {
    if (table.Find(key)) throw std::logic_error("key " + key + " was set twice");
    const int index = table.taken++;
    if (index >= SharedTable::kValues || key.size() >= sizeof(Published::key) ||
        value.size() > sizeof(Published::value)) {
      throw std::logic_error("too much for the test's table");
    }
    Published& entry = table.values[index];
    std::memcpy(entry.key, key.data(), key.size());
    std::memcpy(entry.value, value.data(), value.size());
    entry.here = true;
  };
  store.get = [&table, deadline](const std::string& key, size_t bytes) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    const Published* entry = nullptr;
    while (!(entry = table.Find(key))) {
      if (std::chrono::steady_clock::now() > end) throw CollectiveTimeout("get " + key + ": nobody set it");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return std::string(entry->value, bytes);
  };
  return store;
}

void RunRank(int rank, int world_size, std::chrono::milliseconds deadline, bool threads, SharedTable& table,
             const RankBody& body) {
  PoisonedMemory memory;
  const auto device = MakeHostDevice(memory, {});
  TestRank test_rank{rank, *device, {}};
  test_rank.settings.rank = rank;
  test_rank.settings.world_size = world_size;
  test_rank.settings.deadline = deadline;
  test_rank.settings.store = StoreIn(table, deadline);
  test_rank.settings.device = device.get();
  test_rank.settings.ranks_share_process = threads;
  try {
    body(test_rank);
  } catch (const std::exception& error) {
    std::strncpy(table.sentence[rank], error.what(), sizeof table.sentence[rank] - 1);
  }
}

std::vector<std::string> Collect(SharedTable* table, int world_size) {
  std::vector<std::string> sentences;
  for (int rank = 0; rank < world_size; ++rank) sentences.emplace_back(table->sentence[rank]);
  munmap(table, sizeof *table);
  return sentences;
}

}  // namespace

std::vector<std::string> RunOnThreads(int world_size, std::chrono::milliseconds deadline, const RankBody& body) {
  SharedTable* table = NewTable();
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.emplace_back([=, &body] { RunRank(rank, world_size, deadline, true, *table, body); });
  }
  ranks.clear();  // joins
  return Collect(table, world_size);
}

std::vector<std::string> RunOnProcesses(int world_size, std::chrono::milliseconds deadline, const RankBody& body) {
  SharedTable* table = NewTable();
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      RunRank(rank, world_size, deadline, false, *table, body);
      _exit(0);
    }
    ranks.push_back(child);
  }
  for (int rank = 0; rank < world_size; ++rank) {
    int status = 0;
    waitpid(ranks[rank], &status, 0);
    if (WIFSIGNALED(status)) std::strcpy(table->sentence[rank], strsignal(WTERMSIG(status)));
  }
  return Collect(table, world_size);
}

}  // namespace zerocts::engine

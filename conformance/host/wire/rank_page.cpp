#include "conformance/host/wire/rank_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/page_bytes.hpp"
#include "conformance/host/system/shortage.hpp"

namespace zerocts {
namespace {

constexpr auto kReadPause = std::chrono::microseconds(100);
constexpr int kReadAttempts = 100;  // a rank that was stopped while it wrote is read as it is

constexpr auto kRelaxed = std::memory_order_relaxed;  // the sequence number orders everything else

/// With room that the file system has given: a full one says so here, not by SIGBUS when the page is written.
void* MapFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return MAP_FAILED;
  const int error = posix_fallocate(file, 0, kPageBytes);
  void* memory = error ? MAP_FAILED : mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (error) errno = error;
  close(file);
  return memory;
}

}  // namespace

/// Text that one process may write while another one reads it, and then a mixture; cut to its room.
template <size_t N>
class SharedText {
 public:
  void Set(const char* text) {
    size_t i = 0;
    for (; text && i < N - 1 && text[i] != '\0'; ++i) bytes_[i].store(text[i], std::memory_order_relaxed);
    bytes_[i].store('\0', std::memory_order_relaxed);
  }
  std::string Get() const {
    std::string text;
    for (const std::atomic<char>& byte : bytes_) {
      const char c = byte.load(std::memory_order_relaxed);
      if (c == '\0') break;
      text += c;
    }
    return text;
  }

 private:
  std::atomic<char> bytes_[N];
};

struct RankPage::Layout {
  std::atomic<uint64_t> sequence;  // odd while the rank writes
  std::atomic<int64_t> step;
  std::atomic<int32_t> micro_batch, fatal_signal, called_exit;
  alignas(32) SharedText<32> call;
  SharedText<64> operation;
  SharedText<256> detail;
  SharedText<128> deed;

  template <typename Change>
  void Write(Change change) {
    sequence.fetch_add(1, std::memory_order_acq_rel);
    change();
    sequence.fetch_add(1, std::memory_order_release);
  }
};

RankPage::RankPage(const std::string& path) {
  // As rank_protocol.md says, for ranks in other languages.
  static_assert(offsetof(Layout, micro_batch) == 16 && offsetof(Layout, called_exit) == 24 &&
                offsetof(Layout, call) == 32);
  static_assert(offsetof(Layout, operation) == 64 && offsetof(Layout, detail) == 128);
  static_assert(sizeof(Layout) <= kPageBytes && std::atomic<uint64_t>::is_always_lock_free);
  void* memory = path.empty() ? mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                              : MapFile(path);
  if (memory == MAP_FAILED)
    throw HarnessError(fmt::format("page of a rank {}: cannot map it: {}", path, ReasonAndRemedy(errno)));
  layout_ = static_cast<Layout*>(memory);
}

RankPage::~RankPage() { munmap(layout_, kPageBytes); }

void RankPage::Enter(const char* call, int64_t step, int micro_batch) {
  layout_->Write([&] {
    layout_->call.Set(call);
    layout_->step.store(step, kRelaxed);
    layout_->micro_batch.store(micro_batch, kRelaxed);
    layout_->operation.Set("");
    layout_->detail.Set("");
  });
}

void RankPage::Progress(const char* operation, const char* detail) {
  layout_->Write([&] {
    layout_->operation.Set(operation);
    layout_->detail.Set(detail);
  });
}

void RankPage::MarkFatalSignal(int signal_number) { layout_->fatal_signal = signal_number; }

void RankPage::MarkExit() { layout_->called_exit = 1; }

void RankPage::MarkDeed(const char* deed) { layout_->deed.Set(deed); }

void RankPage::Clear() {
  layout_->fatal_signal = layout_->called_exit = 0;
  MarkDeed("");
  Enter("", -1, -1);
}

bool RankPage::ReadOnce(LastPosition* last_position) const {
  const uint64_t before = layout_->sequence.load(std::memory_order_acquire);
  *last_position = {layout_->call.Get(),
                    layout_->step.load(kRelaxed),
                    layout_->micro_batch.load(kRelaxed),
                    layout_->operation.Get(),
                    layout_->detail.Get(),
                    layout_->fatal_signal.load(kRelaxed),
                    layout_->called_exit.load(kRelaxed) != 0,
                    layout_->deed.Get()};
  std::atomic_thread_fence(std::memory_order_acquire);
  return before % 2 == 0 && layout_->sequence.load(kRelaxed) == before;
}

LastPosition RankPage::Read() const {
  LastPosition last_position;
  for (int attempt = 0; attempt < kReadAttempts && !ReadOnce(&last_position); ++attempt)
    std::this_thread::sleep_for(kReadPause);
  return last_position;
}

std::string ToString(const LastPosition& last_position) {
  if (!last_position.deed.empty()) {
    LastPosition without_deed = last_position;
    without_deed.deed.clear();
    return fmt::format("{}; it {}", ToString(without_deed), last_position.deed);
  }
  if (last_position.call.empty()) return "outside of the subject";
  if (last_position.call == kInShutdown) return "in shutdown";
  if (last_position.call == kAtExit) return "behind shutdown, where its process ends";
  std::string text = last_position.step < 0 ? "before the first step" : fmt::format("at step {}", last_position.step);
  if (last_position.micro_batch >= 0) text += fmt::format(", micro-batch {}", last_position.micro_batch);
  text += ", in " + last_position.call;
  if (!last_position.operation.empty()) text += ": " + last_position.operation;
  if (!last_position.detail.empty()) text += ", " + last_position.detail;
  return text;
}

}  // namespace zerocts

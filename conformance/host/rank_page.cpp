#include "conformance/host/rank_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace zerocts {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr auto kReadPause = std::chrono::microseconds(100);
constexpr int kReadAttempts = 100;  // a rank that was stopped while it wrote is read as it is

template <size_t N>
void CopyText(char (&out)[N], const char* text) {
  std::strncpy(out, text ? text : "", N - 1);
}

template <size_t N>
std::string TextOf(const char (&text)[N]) {
  return std::string(text, strnlen(text, N));
}

}  // namespace

struct RankPage::Layout {
  std::atomic<uint64_t> sequence;  // odd while the rank writes
  int64_t step;
  int32_t micro_batch;
  int32_t fatal_signal;
  int32_t called_exit;
  int32_t reserved;
  char call[32];
  char operation[64];
  char detail[256];

  template <typename Change>
  void Write(Change change) {
    sequence.fetch_add(1, std::memory_order_acq_rel);
    change();
    sequence.fetch_add(1, std::memory_order_release);
  }
};

RankPage::RankPage(const std::string& path) {
  static_assert(sizeof(Layout) <= kPageBytes && std::atomic<uint64_t>::is_always_lock_free);
  void* memory = MAP_FAILED;
  if (path.empty()) {
    memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else if (const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); file >= 0) {
    if (ftruncate(file, kPageBytes) == 0) memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("page of a rank {}: cannot map it: {}", path, std::strerror(errno)));
  layout_ = static_cast<Layout*>(memory);
}

RankPage::~RankPage() { munmap(layout_, kPageBytes); }

void RankPage::Enter(const char* call, int64_t step, int micro_batch) {
  layout_->Write([&] {
    CopyText(layout_->call, call);
    layout_->step = step;
    layout_->micro_batch = micro_batch;
    layout_->operation[0] = layout_->detail[0] = '\0';
  });
}

void RankPage::Progress(const char* operation, const char* detail) {
  layout_->Write([&] {
    CopyText(layout_->operation, operation);
    CopyText(layout_->detail, detail);
  });
}

void RankPage::MarkFatalSignal(int signal_number) { layout_->fatal_signal = signal_number; }

void RankPage::MarkExit() { layout_->called_exit = 1; }

void RankPage::Clear() {
  layout_->fatal_signal = layout_->called_exit = 0;
  Enter("", -1, -1);
}

bool RankPage::ReadOnce(Standing* standing) const {
  const uint64_t before = layout_->sequence.load(std::memory_order_acquire);
  *standing = {TextOf(layout_->call),   layout_->step,         layout_->micro_batch,     TextOf(layout_->operation),
               TextOf(layout_->detail), layout_->fatal_signal, layout_->called_exit != 0};
  std::atomic_thread_fence(std::memory_order_acquire);
  return before % 2 == 0 && layout_->sequence.load(std::memory_order_relaxed) == before;
}

Standing RankPage::Read() const {
  Standing standing;
  for (int attempt = 0; attempt < kReadAttempts && !ReadOnce(&standing); ++attempt) std::this_thread::sleep_for(kReadPause);
  return standing;
}

std::string ToString(const Standing& standing) {
  if (standing.call.empty()) return "outside of the subject";
  std::string text = standing.step < 0 ? "before the first step" : fmt::format("at step {}", standing.step);
  if (standing.micro_batch >= 0) text += fmt::format(", micro-batch {}", standing.micro_batch);
  text += ", in " + standing.call;
  if (!standing.operation.empty()) text += ": " + standing.operation;
  if (!standing.detail.empty()) text += ", " + standing.detail;
  return text;
}

}  // namespace zerocts

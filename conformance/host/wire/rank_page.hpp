// The page of a rank: 4 KiB of a file, written by the rank without locks, read by the conductor when the rank no longer
// answers.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

// Calls beside those of the subject's table.
inline constexpr const char* kInShutdown = "shutdown";
inline constexpr const char* kAtExit = "exit";  // after shutdown: destructors, exit handlers, threads that are left

/// Where a rank stood.
struct LastPosition {
  std::string call;               // of the subject's table: "step"; kInShutdown, kAtExit; "" between two cases
  int64_t step = -1;              // -1: before the first
  int micro_batch = -1;           // -1: none
  std::string operation, detail;  // what the subject said last by progress
  int fatal_signal = 0;           // this rank's thread ran into it (ranks as threads)
  bool called_exit = false;       // this rank's thread ended the process (ranks as threads)
  std::string deed;               // that it died of: "wrote to the gradient of parameter 3, which it is given const"
  bool IsMarked() const { return fatal_signal || called_exit || !deed.empty(); }
};
/// "at step 1, in step: reduce_scatter, bucket 3", "before the first step, in open", "outside of the subject", "in
/// shutdown"; what it died of behind it
std::string ToString(const LastPosition& last_position);

class RankPage {
 public:
  /// Creates or maps the file. Throws HarnessError naming it. "" is a page that nobody reads.
  explicit RankPage(const std::string& path);
  ~RankPage();
  RankPage(const RankPage&) = delete;
  RankPage& operator=(const RankPage&) = delete;

  // The rank's side: one thread. Text is cut to what the page has room for.
  void Enter(const char* call, int64_t step, int micro_batch);  // forgets operation and detail
  void Progress(const char* operation, const char* detail);
  /// Safe in a signal handler.
  void MarkFatalSignal(int signal_number);
  void MarkExit();
  void MarkDeed(const char* deed);

  // The conductor's side.
  void Clear();
  LastPosition Read() const;
  /// False: the rank was writing, and `last_position` may be of two positions.
  bool ReadOnce(LastPosition* last_position) const;

 private:
  struct Layout;
  Layout* layout_;
};

}  // namespace zerocts

// What a person sees while clauses run: one line per clause on stderr, rewritten while it runs when stderr is a
// terminal.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace zerocts {

class Progress {
 public:
  explicit Progress(bool enabled);

  void Start(const std::string& clause);  // "C-ZERO-001 shard coverage"
  /// Cheap; draws at most ten times a second. Any thread may call it.
  void Update(const std::string& where, int64_t cases);
  void End(const std::string& result, int64_t cases, double seconds);

 private:
  bool enabled_, terminal_;
  std::string clause_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace zerocts

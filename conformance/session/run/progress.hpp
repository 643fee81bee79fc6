// What a person sees while clauses run, on stderr: on a terminal one line that rewrites itself, else a line per clause.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace zerocts {

class Progress {
 public:
  /// `clauses`: how many will run; 0: not known.
  Progress(bool enabled, size_t clauses);

  void Start(const std::string& clause);  // "C-ZERO-001 shard coverage"
  /// Cheap; draws at most ten times a second. Any thread may call it.
  void Update(const std::string& where, int64_t cases);
  /// On a terminal the first of the run stays, in two lines or so. Any thread may call it.
  void Failed(const std::string& where, const std::string& sentence);
  void End(const std::string& result, int64_t cases, double seconds);

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(const std::string& line);

  bool enabled_, terminal_;
  size_t clauses_, ended_ = 0, bad_ = 0;
  Clock::time_point begin_ = Clock::now();
  std::string clause_;
  bool told_ = false;  // of the first failure
  std::mutex mutex_;
  Clock::time_point drawn_{};
};

/// "about 1:20 left", by what the clauses that ended took; "" before one did, or where their number is not known.
std::string TimeLeft(size_t ended, size_t clauses, double seconds);

/// "[ 3/56] C-ZERO-003 padding inertness  120 cases  1 failed  about 1:20 left  local W=3 fp32", in `columns`.
std::string ProgressLine(const std::string& counts, const std::string& clause, int64_t cases, size_t bad,
                         const std::string& left, const std::string& where, size_t columns);

}  // namespace zerocts

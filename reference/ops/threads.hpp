// A few threads that share the pieces of one operation. What a piece computes depends on no thread, so any number of
// them gives the same bits.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace zerocts {

class Threads {
 public:
  /// The calling thread and count - 1 helpers.
  explicit Threads(int count);
  ~Threads();

  int count() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls body(piece) once for each piece in [0, pieces), on the caller and on every helper that comes in time;
  /// returns when all have happened. While one caller has the helpers, others do their pieces alone; and so does a
  /// process that was forked, which has no helpers.
  template <typename Body>
  void ForEach(int64_t pieces, const Body& body) {
    Run({pieces, &body, [](const void* context, int64_t piece) { (*static_cast<const Body*>(context))(piece); }});
  }

 private:
  struct Job {
    int64_t pieces;
    const void* body;
    void (*call)(const void* body, int64_t piece);
  };

  void Run(const Job& job);
  void Help();
  void TakePieces();

  std::vector<std::thread> helpers_;
  std::atomic<bool> taken_{false};  // by a caller
  Job job_{};                       // its job; read by helpers while that is open
  std::atomic<int64_t> next_{0};    // the next piece
  std::atomic<int> inside_{0};      // helpers that may touch job_
  std::atomic<bool> open_{false};
  std::atomic<uint32_t> jobs_{0};  // counts jobs, and is what idle helpers wait for
  std::atomic<bool> stopping_{false};
};

/// Calls body(begin, count) on at most threads.count() parts of [0, total), each of `least` or more (but for the last).
template <typename Body>
void ForEachPart(Threads& threads, int64_t total, int64_t least, const Body& body) {
  const int64_t share = (total + threads.count() - 1) / threads.count();
  const int64_t step = share > least ? share : least;
  threads.ForEach((total + step - 1) / step, [&](int64_t part) {
    const int64_t begin = part * step;
    body(begin, total - begin < step ? total - begin : step);
  });
}

}  // namespace zerocts

// How the ranks of one case find each other: put, get and barrier, for ranks as threads and for ranks as processes.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zerocts {

using SteadyTime = std::chrono::steady_clock::time_point;

/// How a call ended: a status code of zerocts_subject.h, and the sentence when it is not ZEROCTS_OK.
struct RendezvousOutcome {
  int code = 0;
  std::string text;
  std::string value;  // get
};

/// Keys and barrier arrivals of one case, without waiting and without locks: what both implementations share.
class RendezvousBoard {
 public:
  explicit RendezvousBoard(int world_size) : world_size_(world_size) {}

  /// Forgets keys and arrivals. No rank is inside a case.
  void BeginCase();

  RendezvousOutcome Put(std::string key, std::string value);
  /// Null: nobody put it yet.
  const std::string* Find(const std::string& key) const;
  static RendezvousOutcome ValueOf(const std::string& key, const std::string& value, uint64_t bytes);

  /// Bytes of the heap that values take.
  uint64_t kept_bytes() const { return kept_bytes_; }

  /// A rank comes to the barrier; the ticket passes when all have come.
  uint64_t Arrive(int rank);
  bool Passed(uint64_t ticket) const { return generation_ > ticket; }

  /// The rank's part of the case is over: whoever waits for it waits in vain.
  void Leave(int rank) { left_.insert(rank); }
  bool AnyLeft() const { return !left_.empty(); }
  /// Every rank but `waiting` has left: nobody can put a key any more.
  bool Alone(int waiting) const;

  // Sentences for waits that failed.
  RendezvousOutcome BarrierFailed(uint32_t deadline_ms) const;
  RendezvousOutcome GetFailed(const std::string& key, uint32_t deadline_ms) const;
  /// A rank that has not come to the current barrier has left, so it never passes.
  bool BarrierIsHopeless() const;

 private:
  int world_size_;
  uint64_t generation_ = 0;
  std::set<int> arrived_, left_;
  std::map<std::string, std::string> values_;
  uint64_t kept_bytes_ = 0;
};

/// One rank's end. Calls return when done or when `deadline_ms` has passed, whichever is first.
class RendezvousClient {
 public:
  virtual ~RendezvousClient() = default;
  virtual RendezvousOutcome Put(std::string key, std::string value) = 0;
  virtual RendezvousOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) = 0;
  virtual RendezvousOutcome Barrier(uint32_t deadline_ms) = 0;
  /// Bytes of this process's heap that values which were put take: the host's, not the subject's.
  virtual uint64_t KeptBytes() const = 0;
};

/// Ranks as threads of one process.
class ThreadRendezvous {
 public:
  explicit ThreadRendezvous(int world_size) : board_(world_size) {}

  /// Every rank calls it before its part of the case `run`; the first one clears the board.
  void BeginCase(uint64_t run);
  void Leave(int rank);
  std::unique_ptr<RendezvousClient> RankEnd(int rank);

 private:
  class End;
  std::mutex mutex_;
  std::condition_variable changed_;
  RendezvousBoard board_;
  uint64_t run_ = 0;
};

/// The conductor's side for ranks as processes: requests come in, answers go out, at once or when something changed or
/// ran out.
class RendezvousService {
 public:
  using Answer = std::function<void(int rank, uint64_t request, const RendezvousOutcome& outcome)>;
  RendezvousService(int world_size, Answer answer) : board_(world_size), answer_(std::move(answer)) {}

  void BeginCase();
  void Put(int rank, uint64_t request, std::string key, std::string value);
  void Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms);
  void Barrier(int rank, uint64_t request, uint32_t deadline_ms);
  void Leave(int rank);

  /// Answers what ran out.
  void Expire();
  /// When Expire has something to do; time_point::max() when nobody waits.
  SteadyTime NextDeadline() const;

 private:
  struct Waiting {
    int rank = 0;
    uint64_t request = 0;
    uint32_t deadline_ms = 0;
    SteadyTime until;
    bool barrier = false;
    uint64_t ticket = 0;  // barrier
    std::string key;      // get
    uint64_t bytes = 0;   // get
  };
  void AnswerWhatCanBe();

  RendezvousBoard board_;
  Answer answer_;
  std::vector<Waiting> waiting_;
};

}  // namespace zerocts

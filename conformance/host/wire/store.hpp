// How the ranks of one case find each other by set, get and barrier: who set what and who came, without the waiting.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace zerocts {

/// How a call ended: a status code of zerocts_subject.h, and the sentence when it is not ZEROCTS_OK.
struct StoreOutcome {
  int code = 0;
  std::string text;
  std::string value;  // get
};

/// Keys and barrier arrivals of one case, without waiting and without locks: what ThreadStore and
/// StoreService share.
class Store {
 public:
  explicit Store(int world_size) : world_size_(world_size) {}

  /// Forgets keys and arrivals. No rank is inside a case.
  void BeginCase();

  StoreOutcome Set(std::string key, std::string value);
  /// Null: nobody set it yet.
  const std::string* Find(const std::string& key) const;
  static StoreOutcome ValueOf(const std::string& key, const std::string& value, uint64_t bytes);

  /// Bytes of the heap that keys and values take.
  uint64_t kept_bytes() const { return kept_bytes_; }

  /// A rank comes to the barrier; the ticket passes when all have come.
  uint64_t Arrive(int rank);
  bool Passed(uint64_t ticket) const { return generation_ > ticket; }

  /// The rank's part of the case is over: waiting for it is in vain.
  void Leave(int rank) { left_.insert(rank); }
  bool AnyLeft() const { return !left_.empty(); }
  /// Every rank but `waiting` has left: nobody can set a key any more.
  bool Alone(int waiting) const;

  // Sentences for waits that failed. `stretch`: of their deadline, by RunnableClock.
  StoreOutcome BarrierFailed(uint32_t deadline_ms, const std::string& stretch) const;
  StoreOutcome GetFailed(const std::string& key, uint32_t deadline_ms, const std::string& stretch) const;
  /// A rank that has not come to the current barrier has left, so it never passes.
  bool BarrierIsHopeless() const;

 private:
  int world_size_;
  uint64_t generation_ = 0;
  std::set<int> arrived_, left_;
  std::map<std::string, std::string> values_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace zerocts

// What all judges of a run share: the ranks, the parameters, and what was found.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/watch/records.hpp"
#include "conformance/watch/state_samples.hpp"

namespace zerocts::watch {

inline constexpr int kMostSaid = 3;  // findings of a clause and level; more are counted

/// An alarm breaks a promise of the framework or the collective; a notice is legal and often not meant.
enum class Level { kNotice, kAlarm };

struct Finding {
  std::string clause;
  Level level = Level::kAlarm;
  int64_t step = -1;  // -1: of no step
  int rank = -1;      // -1: of several
  std::string what;   // a parameter, or a group of ranks
  std::string text;
  int64_t times = 1;  // how often the same was found of the same

  std::string Sentence() const;  // "step 3, rank 1, layers.0.weight: .."
};

/// What a step of an earlier run left.
struct PastStep {
  std::set<uint64_t> digests;          // of all parameters, on all ranks
  std::map<int, StateSamples> states;  // by rank
};

class ObservedRun {
 public:
  /// `say` hears of the first findings of each clause when they are made.
  explicit ObservedRun(std::function<void(const Finding&)> say) : say_(std::move(say)) {}

  /// To be called with each record before a judge sees it.
  void Take(const Record& record);

  int world() const { return world_; }
  /// nullptr: the rank has not said where it lies.
  const ParameterRecord* Find(int rank, int64_t parameter) const;
  std::string NameOf(int rank, int64_t parameter) const;

  void Remember(PastStep step) { past_.push_back(std::move(step)); }
  const std::deque<PastStep>& past() const { return past_; }

  /// Ranks were told to look less often, or more: they may have done so at different moments.
  void SetUneven() { is_uneven_ = true; }
  bool is_uneven() const { return is_uneven_; }

  void Add(Finding finding);
  void Count(const std::string& clause, int64_t comparisons) { judged_[clause] += comparisons; }
  int64_t judged(const std::string& clause) const;
  const std::vector<Finding>& findings() const { return findings_; }
  const std::vector<StartRecord>& processes() const { return processes_; }
  const std::vector<std::pair<int, std::string>>& switched_off() const { return switched_off_; }
  int64_t steps() const { return steps_; }
  bool ended_in_order() const { return !started_.empty() && started_ == ended_; }

 private:
  std::function<void(const Finding&)> say_;
  int world_ = 1;
  int64_t steps_ = 0;
  bool is_uneven_ = false;
  std::deque<PastStep> past_;
  std::map<std::pair<int, int64_t>, ParameterRecord> parameters_;
  std::map<std::string, int64_t> judged_;
  std::vector<Finding> findings_;
  std::map<std::pair<std::string, Level>, int> said_;
  std::map<std::pair<std::string, std::string>, size_t> found_;  // by clause, and what with its kind
  std::vector<StartRecord> processes_;
  std::vector<std::pair<int, std::string>> switched_off_;
  std::set<int> started_, ended_;
};

/// A run as one clause sees it.
class ClauseFindings {
 public:
  ClauseFindings(ObservedRun& run, std::string clause, Level level)
      : run_(&run), clause_(std::move(clause)), level_(level) {}
  const ObservedRun& run() const { return *run_; }
  void Count(int64_t comparisons) { run_->Count(clause_, comparisons); }
  void Add(int64_t step, int rank, std::string what, std::string text) {
    run_->Add({clause_, level_, step, rank, std::move(what), std::move(text)});
  }
  void AddNotice(int64_t step, int rank, std::string what, std::string text) {
    run_->Add({clause_, Level::kNotice, step, rank, std::move(what), std::move(text)});
  }

 private:
  ObservedRun* run_;
  std::string clause_;
  Level level_;
};

/// Records of several ranks that belong together, until all are there.
template <typename Key, typename Kind>
class Meeting {
 public:
  /// All of them by rank, once the record of the last of `ranks` is there.
  std::optional<std::map<int, Kind>> Join(const Key& key, int rank, Kind record, size_t ranks) {
    auto& waiting = waiting_[key];
    waiting.insert_or_assign(rank, std::move(record));
    if (waiting.size() < ranks) {
      if (waiting_.size() > kMostWaiting) waiting_.erase(waiting_.begin());
      return std::nullopt;
    }
    std::map<int, Kind> all = std::move(waiting);
    waiting_.erase(key);
    return all;
  }
  const std::map<Key, std::map<int, Kind>>& waiting() const { return waiting_; }

 private:
  static constexpr size_t kMostWaiting = 4096;
  std::map<Key, std::map<int, Kind>> waiting_;
};

/// A parameter's part in the records of each rank, by the parameter's name.
using PartsOfRanks = std::map<int, const GradientsRecord::Part*>;
std::map<std::string, PartsOfRanks> PartsByName(const std::map<int, GradientsRecord>& all, const ObservedRun& run);

/// "rank 2", "ranks 0, 1 and 3".
std::string RanksText(const std::vector<int>& ranks);

}  // namespace zerocts::watch

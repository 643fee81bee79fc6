// What a rank holds, read through the subject's table and written into its observation, at the step where the caller
// stands.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/rank_context.hpp"

namespace zerocts {

/// Everything throws Refusal.
class SubjectReader {
 public:
  explicit SubjectReader(RankContext& context) : context_(context), room_(context.page) {}

  /// Before any state is read.
  void ReadOwned();

  /// What is observed after load and after each step; nothing where the case looks at the last step only.
  void Observe();
  /// The same of any step.
  void ObserveThisStep();
  /// Observes a fresh engine that has loaded a checkpoint, before any other call.
  void ObserveResumed();
  /// Observes an engine before it makes the step, where the case asks for it.
  void ObserveBeforeStep();

  std::vector<float> ReadParameter(int p);

 private:
  bool ObservesStep() const;
  void ExpectReadable(size_t parameter, uint32_t intervals) const;
  std::vector<int> ReadOrder() const;
  void ReadParameters(const std::string& what);
  std::vector<std::string> MasterAndMoments() const;
  // What these give stands in the room until the next read.
  std::span<const zerocts_interval> OwnedIntervals(size_t p);
  template <typename Element>
  std::span<const Element> ReadElements(int p, Element fill);
  std::vector<float> ReadInterval(const std::string& state, int p, const Interval& interval);
  /// Calls `function`, which writes to the room, and looks whether it kept to it.
  template <typename Args>
  void Read(const char* name, zerocts_status* (*function)(Args*), GuardedArgs<Args>& args);
  bool HasState(int p, const std::string& state) const;
  void ReadState(const std::string& state, const std::string& what);
  void Record(const std::string& what, int parameter, Interval interval, std::vector<float> values);

  RankContext& context_;
  const Case& case_ = context_.c;
  const Experiment& experiment_ = context_.experiment;
  SubjectCaller& caller_ = context_.caller;
  RankObservation& observation_ = context_.observation;
  OutputRoom room_;
};

}  // namespace zerocts

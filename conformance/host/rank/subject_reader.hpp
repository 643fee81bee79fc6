// What a rank holds, read through the subject's table and written into its observation, at the step where the caller
// stands.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

/// Everything throws Refusal.
class SubjectReader {
 public:
  SubjectReader(const Case& c, const std::vector<std::string>& declared_states, SubjectCaller& caller, RankPage& page,
                RankObservation& observation);

  /// Before any state is read.
  void ReadOwned(zerocts_engine* engine);

  /// What is observed after load and after each step; nothing where the case looks at the last step only.
  void Observe(zerocts_engine* engine);
  /// The same of any step.
  void ObserveThisStep(zerocts_engine* engine);
  /// Observes a fresh engine that has loaded a checkpoint, before any other call.
  void ObserveResumed(zerocts_engine* engine);
  /// Observes an engine before it makes the step, where the case asks for it.
  void ObserveBeforeStep(zerocts_engine* engine);

  std::vector<float> ReadParameter(zerocts_engine* engine, int p);

 private:
  bool ObservesStep() const;
  void ExpectReadable(size_t parameter, uint32_t intervals) const;
  std::vector<int> ReadOrder() const;
  void ReadParameters(zerocts_engine* engine, const std::string& what);
  std::vector<std::string> MasterAndMoments() const;
  // What these give stands in the room until the next read.
  std::span<const zerocts_interval> OwnedIntervals(zerocts_engine* engine, size_t p);
  template <typename Element>
  std::span<const Element> ReadElements(zerocts_engine* engine, int p, Element fill);
  std::vector<float> ReadInterval(zerocts_engine* engine, const std::string& state, int p, const Interval& interval);
  /// Calls `function`, which writes to the room, and looks whether it kept to it.
  template <typename Args>
  void Read(const char* name, zerocts_status* (*function)(Args*), GuardedArgs<Args>& args);
  bool HasState(int p, const std::string& state) const;
  void ReadState(zerocts_engine* engine, const std::string& state, const std::string& what);
  void Record(const std::string& what, int parameter, Interval interval, std::vector<float> values);

  const Case& case_;
  const Experiment& experiment_;
  const std::vector<std::string>& states_;
  SubjectCaller& caller_;
  RankObservation& observation_;
  OutputRoom room_;
};

}  // namespace zerocts

// What the parts of a rank's case share.
#pragma once
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/rank/case_runner.hpp"
#include "conformance/host/rank/host_table.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

struct RankContext {
  const RankSetting& setting;
  const Case& c;
  const uint32_t deadline_ms;  // of waits for other ranks
  const Experiment& experiment = c.experiment;
  RankPage& page = setting.page;
  HostTable host{setting.rank, setting.store, page, c.poison_memory, setting.ranks_in_process > 1};
  SubjectCaller caller{setting.plugin.table(), page, host.memory()};
  zerocts_engine* engine = nullptr;  // null: none is open
  RankObservation observation{.rank = setting.rank, .ranks_in_process = setting.ranks_in_process};

  /// The model, and not the host for it.
  bool subject_computes() const {
    return experiment.gradients == GradientSource::kModel &&
           Contains(setting.plugin.capabilities().models, KindOf(*experiment.model));
  }
};

}  // namespace zerocts

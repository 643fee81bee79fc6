// Notice: a rank whose memory grows with each step.
#include <fmt/format.h>

#include "conformance/watch/growth.hpp"
#include "conformance/watch/live_clause.hpp"

namespace zerocts::watch {
namespace {

constexpr double kAtOnce = 1.5;  // times what it was: said before the end of the run

class SteadyMemory : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;

  void Take(const StepRecord& r) override {
    if (r.at.optimizer != 0) return;
    Take(r, "memory", r.host_bytes);
    Take(r, "memory of its device", r.device_bytes);
  }

  /// Only now is known that it is no cache that was full at last.
  void Finish(bool) override {
    for (auto& [whose, memory] : ranks_) Say(whose, memory, 1);
  }

 private:
  using Whose = std::pair<int, std::string>;  // rank, which memory
  struct Memory {
    Growth growth;
    int64_t step = 0;
    bool is_said = false;
  };

  void Take(const StepRecord& r, const std::string& which, int64_t bytes) {
    if (bytes == 0) return;
    const Whose whose{r.from.rank, which};
    Memory& memory = ranks_[whose];
    memory.growth.Take(r.at.step, bytes);
    memory.step = r.at.step;
    if (memory.growth.is_judged()) findings_.Count(1);
    Say(whose, memory, kAtOnce);
  }

  void Say(const Whose& whose, Memory& memory, double least) {
    const std::optional<Growth::Line> line = memory.growth.line();
    if (memory.is_said || !line || static_cast<double>(line->end) < least * static_cast<double>(line->begin)) return;
    memory.is_said = true;
    findings_.Add(
        memory.step, whose.first, whose.second,
        fmt::format("it grows by {:.3g} MiB in a step from step {} on, from {} to {} MiB by now: is something "
                    "kept of each step, a loss with its graph?",
                    line->bytes_per_step / (1 << 20), line->from, line->begin >> 20, line->end >> 20));
  }

  std::map<Whose, Memory> ranks_;
};

const auto steady_memory = RegisteredLiveClause::Of<SteadyMemory>(
    {.id = "C-LIVE-023",
     .name = "growth",
     .sentence = "The memory of a rank does not grow with each step.",
     .fidelity = Fidelity::kBounded,
     .how = "Resident memory that no file backs, and what torch has allocated on the device, after each step. A notice "
            "where the least of eight blocks of eight or more steps, behind the first 20, grew alike until the end of "
            "the run, by 1 % and 16 MiB at least; before the end, where it is half as much again.",
     .unseen = "a rank was looked at in fewer than 84 steps",
     .bugs = {},
     .level = Level::kNotice});

}  // namespace
}  // namespace zerocts::watch

// What the optimizer is given is the mean of what backward produced on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conformance/watch/clips.hpp"
#include "conformance/watch/gradient_samples.hpp"
#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

constexpr double kRoundedFactor = 0x1p-22, kClipSlack = 2e-5;  // relative; the latter where the norm is computed here
constexpr double kSameFactor = 1e-4;
constexpr int kThrownAway = 3;  // steps running in which the first micro-batches count for nothing

class GradientFlow : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;
  using Part = GradientsRecord::Part;
  using Pointers = std::vector<const GradientSample*>;

  void Take(const ClipRecord& r) override { calls_[r.call][r.from.rank] = r; }

  void Take(const GradientsRecord& r) override {
    const auto all = meeting_.Join(r.at, r.from.rank, r, static_cast<size_t>(r.from.world));
    if (!all) return;
    const std::vector<GradientSample> samples = SamplesOf(*all);
    for (const int64_t number : r.clips) calls_.erase(calls_.begin(), calls_.upper_bound(number));
    Pointers telling;
    for (const GradientSample& sample : samples) {
      if (IsTelling(sample)) telling.push_back(&sample);
    }
    findings_.Count(static_cast<int64_t>(telling.size()));
    if (!telling.empty()) Judge(r.at, telling, *all);
    JudgeGiven(r.at, *all);
    SayCarried(r.at, *all);
  }

 private:
  /// The factor that clipping gives a parameter's gradient on a rank, and how well it is known; nothing: not at all.
  struct Clip {
    double coefficient = 1, slack = kRoundedFactor;
  };
  std::optional<Clip> ClipOf(const GradientsRecord& r, int64_t parameter) const {
    Clip clip;
    for (const int64_t number : r.clips) {
      const auto call = calls_.find(number);
      if (call == calls_.end()) return std::nullopt;
      const auto own = call->second.find(r.from.rank);
      if (own == call->second.end() || !std::ranges::count(own->second.parameters, parameter)) continue;
      const std::optional<NormOfRank> norm = NormOf(call->second, r.from.rank, findings_.run());
      if (!norm) return std::nullopt;
      clip.coefficient *= norm->coefficient;
      clip.slack += std::max(kClipSlack, norm->error);
    }
    return clip;
  }

  std::vector<GradientSample> SamplesOf(const std::map<int, GradientsRecord>& all) {
    const int world = all.begin()->second.from.world;
    std::map<std::string, std::map<int, const Part*>> by_name;
    for (const auto& [rank, record] : all) {
      for (const Part& part : record.parts) by_name[findings_.run().NameOf(rank, part.parameter)][rank] = &part;
    }
    std::vector<GradientSample> samples;
    for (const auto& [name, parts] : by_name) {
      for (const auto& [rank, part] : parts) {
        const ParameterRecord* place = findings_.run().Find(rank, part->parameter);
        const std::optional<Clip> clip = ClipOf(all.at(rank), part->parameter);
        if (!place || !clip) continue;
        std::vector<int> ranks(static_cast<size_t>(world));
        for (int r = 0; r < world; ++r) ranks[static_cast<size_t>(r)] = r;
        if (place->ranks) ranks = *place->ranks;
        // Nobody promised to synchronise what no framework has wrapped.
        if (place->place == "plain" && IsOwnAlone(rank, *part, *clip, all.at(rank).loss_scale)) ranks = {rank};
        Append(samples, name, rank, *part, parts, ranks, *clip, all.at(rank).loss_scale);
      }
    }
    return samples;
  }

  static bool IsOwnAlone(int rank, const Part& part, const Clip& clip, double loss_scale) {
    std::vector<GradientSample> own;
    Append(own, "", rank, part, {{rank, &part}}, {rank}, clip, loss_scale);
    return std::ranges::all_of(own,
                               [](const GradientSample& s) { return Explains(s, AllTerms(s), s.expected_factor); });
  }

  static void Append(std::vector<GradientSample>& samples, const std::string& name, int rank, const Part& part,
                     const std::map<int, const Part*>& parts, const std::vector<int>& ranks, const Clip& clip,
                     double loss_scale) {
    for (const int other : ranks) {
      const auto found = parts.find(other);
      const bool is_seen = found != parts.end() && !found->second->added.empty() && found->second->at == part.at &&
                           !found->second->carried;
      if (!is_seen) return;
    }
    for (size_t k = 0; k < part.gradient.size(); ++k) {
      const auto index = static_cast<size_t>(part.inside[k]);
      GradientSample sample{name, rank, part.at[index], part.gradient[k], ranks};
      for (const int other : ranks) {
        std::vector<double>& terms = sample.terms.emplace_back();
        for (const auto& added : parts.at(other)->added) terms.push_back(added[index]);
      }
      sample.unit_roundoff = std::max(UnitRoundoff(part.dtype), UnitRoundoff("float32"));
      sample.expected_factor = clip.coefficient / static_cast<double>(ranks.size()) / loss_scale;
      sample.slack = clip.slack;
      samples.push_back(std::move(sample));
    }
  }

  /// What backward produced must reach the optimizer at all.
  void JudgeGiven(StepOf at, const std::map<int, GradientsRecord>& all) {
    std::set<std::string> produced, given;
    for (const auto& [rank, record] : all) {
      for (const Part& part : record.parts) {
        const std::string name = findings_.run().NameOf(rank, part.parameter);
        const auto is_zero = [](double x) { return x == 0; };
        for (const auto& added : part.added) {
          if (!std::ranges::all_of(added, is_zero)) produced.insert(name);
        }
        if (!part.gradient.empty()) given.insert(name);
      }
    }
    if (!produced.empty() && given.empty())
      findings_.Add(at.step, -1, "all gradients", "backward produced them, and the optimizer was given none");
  }

  /// Gradients of earlier windows are part of what the optimizer is given, and were not seen: no judgement.
  void SayCarried(StepOf at, const std::map<int, GradientsRecord>& all) {
    for (const auto& [rank, record] : all) {
      const auto carried = std::ranges::find_if(record.parts, &Part::carried);
      if (carried == record.parts.end()) continue;
      return findings_.AddNotice(at.step, rank, "gradients that were not zeroed",
                                 fmt::format("{} and others began with what earlier backwards had left",
                                             findings_.run().NameOf(rank, carried->parameter)));
    }
  }

  /// Ranks whose steps do not belong together: one of them left a step out.
  static std::string OutOfStep(const std::map<int, GradientsRecord>& all) {
    const GradientsRecord& first = all.begin()->second;
    for (const auto& [rank, r] : all) {
      if (r.batches != first.batches)
        return fmt::format("rank {} makes this step after {} batches, rank {} after {}: a step was left out", rank,
                           r.batches, first.from.rank, first.batches);
    }
    return "";
  }

  void Judge(StepOf at, const Pointers& samples, const std::map<int, GradientsRecord>& all) {
    const double common = CommonFactor(samples);
    Pointers wrong, unlike;
    for (const GradientSample* sample : samples) {
      const TermSum sum = AllTerms(*sample);
      if (!Explains(*sample, sum, sample->expected_factor)) wrong.push_back(sample);
      if (!Explains(*sample, sum, sample->expected_factor * common)) unlike.push_back(sample);
    }
    int& thrown_away = thrown_away_[at.optimizer];
    if (wrong.empty()) {
      thrown_away = 0;
      return;
    }
    if (const std::string why = OutOfStep(all); !why.empty()) return findings_.Add(at.step, -1, "all gradients", why);
    const std::optional<Mistake> mistake = MistakeOf(samples);
    thrown_away = mistake && mistake->drops_first_batches ? thrown_away + 1 : 0;
    if (thrown_away > 0 && thrown_away < kThrownAway)
      return findings_.AddNotice(at.step, -1, "all gradients",
                                 fmt::format("{}: what came before was thrown away", mistake->text));
    if (mistake) return findings_.Add(at.step, -1, "all gradients", mistake->text + Example(*samples.front()));
    if (unlike.empty()) return JudgeFactor(at, common, *samples.front(), all);
    for (const Pointers& of_one : ByName(unlike.size() < wrong.size() ? unlike : wrong)) {
      const std::optional<Mistake> own = MistakeOf(of_one);
      findings_.Add(at.step, of_one.front()->rank, of_one.front()->name,
                    (own ? own->text : std::string("its gradient is not the mean of what backward produced")) +
                        Example(*of_one.front()));
    }
  }

  /// One factor explains all. Code that is not hooked may have clipped: then it is below 1 and another in each step.
  void JudgeFactor(StepOf at, double factor, const GradientSample& sample, const std::map<int, GradientsRecord>& all) {
    const std::string text = fmt::format("{:.6g} times what they should be{}", factor, Example(sample));
    const bool may_be_clipped = all.begin()->second.clips.empty() && factor > 0 && factor < 1;
    auto& [last, times] = factors_[at.optimizer];
    times = std::abs(factor / last - 1) < kSameFactor ? times + 1 : 1;
    last = factor;
    if (may_be_clipped && times < kThrownAway)
      return findings_.AddNotice(at.step, -1, "all gradients",
                                 "scaled by code that is not followed, as by clipping: " + text);
    findings_.Add(at.step, -1, "all gradients", text);
  }

  static std::vector<Pointers> ByName(const Pointers& samples) {
    std::map<std::string, Pointers> by_name;
    for (const GradientSample* sample : samples) by_name[sample->name].push_back(sample);
    std::vector<Pointers> lists;
    for (const auto& [name, list] : by_name) lists.push_back(list);
    return lists;
  }

  static std::string Example(const GradientSample& s) {
    const TermSum sum = AllTerms(s);
    return fmt::format("; {} element {} on rank {}: got {}, expected {} within {:.1g}", s.name, s.position, s.rank,
                       s.got, s.expected_factor * sum.total,
                       std::abs(s.expected_factor) * (sum.error + s.slack * std::abs(sum.total)));
  }

  std::map<int64_t, std::map<int, ClipRecord>> calls_;
  Meeting<StepOf, GradientsRecord> meeting_;
  std::map<int64_t, int> thrown_away_;
  std::map<int64_t, std::pair<double, int>> factors_;  // the last one that all gradients were multiplied by, how often
};

const auto gradient_flow = RegisteredLiveClause::Of<GradientFlow>(
    {.id = "C-LIVE-006",
     .name = "gradient-flow",
     .sentence =
         "The gradient of a step is the mean over ranks of the sums of what each backward of the window produced, "
         "times the clip coefficient.",
     .fidelity = Fidelity::kBounded,
     .how =
         "Elements of each parameter at the same positions on all ranks: before accumulation and reduction, and as the "
         "optimizer has them. The bound is that of any order of additions in the dtype of the reduction.",
     .unseen = "no parameter was followed from backward to a step: the first step of a model never is, nor DeepSpeed's "
               "stages 1 to 3, FSDP1 with use_orig_params, and tensor parallel parameters",
     .bugs = {{"One divide factor gave different gradients on 1-D and 2-D meshes.",
               "https://github.com/pytorch/pytorch/issues/155903"},
              {"With offload only the last of several backward passes stayed.",
               "https://github.com/deepspeedai/DeepSpeed/pull/7981"}}});

}  // namespace
}  // namespace zerocts::watch

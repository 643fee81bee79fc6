// What the optimizer is given is the mean of what backward produced on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conformance/watch/additions.hpp"
#include "conformance/watch/clips.hpp"
#include "conformance/watch/gradient_samples.hpp"
#include "conformance/watch/live_clause.hpp"
#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

constexpr double kRoundedFactor = 0x1p-22, kClipSlack = 2e-5;  // relative; the latter where the norm is computed here
constexpr double kSmallest = 1e-30;                            // a smaller number may be the same when it is scaled

class GradientFlow : public LiveJudge {
 public:
  using LiveJudge::LiveJudge;
  using Part = GradientsRecord::Part;
  using Parts = PartsOfRanks;
  using Pointers = std::vector<const GradientSample*>;
  using Records = std::map<int, GradientsRecord>;

  void Take(const ClipRecord& r) override { calls_[r.call][r.from.rank] = r; }

  void Take(const GradientsRecord& r) override {
    const auto all = meeting_.Join(r.at, r.from.rank, r, static_cast<size_t>(r.from.world));
    if (!all) return;
    const std::vector<GradientSample> samples = SamplesOf(*all);
    Pointers promised, others;  // others: code of the user stands in between
    for (const GradientSample& sample : samples) {
      if (IsTelling(sample)) (sample.is_promised ? promised : others).push_back(&sample);
    }
    findings_.Count(static_cast<int64_t>(promised.size() + others.size()));
    Judge(promised, *all);
    Judge(others, *all);
    JudgeWhetherGiven(*all);
    JudgeWhatIsGiven(*all);
    SayWhatIsNotAveraged(*all);
    for (const int64_t number : r.clips) calls_.erase(calls_.begin(), calls_.upper_bound(number));
    norms_.clear();
  }

 private:
  /// The factor that clipping gives a parameter's gradient on a rank, and how well it is known; nothing: not at all.
  struct Clip {
    double coefficient = 1, slack = kRoundedFactor;
  };
  std::optional<Clip> ClipOf(const GradientsRecord& r, int64_t parameter) {
    Clip clip;
    for (const int64_t number : r.clips) {
      const auto call = calls_.find(number);
      if (call == calls_.end()) return std::nullopt;
      const auto own = call->second.find(r.from.rank);
      if (own == call->second.end() || !std::ranges::count(own->second.parameters, parameter)) continue;
      const auto [norm, is_new] = norms_.try_emplace({number, r.from.rank});
      if (is_new) norm->second = NormOf(call->second, r.from.rank, findings_.run());
      if (!norm->second) return std::nullopt;
      clip.coefficient *= norm->second->coefficient;
      clip.slack += std::max(kClipSlack, norm->second->error);
    }
    clip.coefficient /= r.loss_scale;
    return clip;
  }

  std::vector<GradientSample> SamplesOf(const Records& all) {
    plain_ = {};
    std::vector<GradientSample> samples;
    for (const auto& [name, parts] : PartsByName(all, findings_.run())) {
      for (const auto& [rank, part] : parts) {
        const ParameterRecord* place = findings_.run().Find(rank, part->parameter);
        if (!place) continue;
        if (place->place == "plain") {
          AppendPlain(samples, name, rank, parts, all.at(rank));
        } else if (place->ranks) {
          const bool is_seen = !part->arrived.empty();  // else it was reduced later, and perhaps clipped
          Append(samples, {name, rank, *place->ranks, Clip{}, is_seen && !part->hooked},
                 is_seen ? part->arrived : part->gradient, parts);
        }
      }
    }
    return samples;
  }

  /// Nobody promised to synchronise what no framework has wrapped: it may be each rank's own, or the script's mean.
  void AppendPlain(std::vector<GradientSample>& samples, const std::string& name, int rank, const Parts& parts,
                   const GradientsRecord& record) {
    const Part& part = *parts.at(rank);
    const std::optional<Clip> clip = ClipOf(record, part.parameter);
    if (!clip) return;
    std::vector<int> ranks(static_cast<size_t>(record.from.world));
    for (size_t r = 0; r < ranks.size(); ++r) ranks[r] = static_cast<int>(r);
    std::vector<GradientSample> own, mean;
    Append(own, {name, rank, {rank}, *clip, false}, part.gradient, parts);
    Append(mean, {name, rank, ranks, *clip, false}, part.gradient, parts);
    const auto explains = [](const auto& list) {
      return !list.empty() &&
             std::ranges::all_of(list, [](const auto& s) { return Explains(s, AllTerms(s), s.expected_factor); });
    };
    const bool is_own = explains(own), is_mean = explains(mean);
    if (is_own && !is_mean) plain_.own.push_back(name);
    if (is_mean && !is_own) plain_.mean.push_back(name);
    if (!is_own && part.gradient != part.arrived) samples.insert(samples.end(), mean.begin(), mean.end());
  }

  /// Parameters that no framework has wrapped, by what their gradients are on some rank.
  struct Plain {
    std::vector<std::string> own, mean;
  };

  struct Way {
    std::string name;
    int rank;
    std::vector<int> ranks;
    Clip clip;
    bool is_promised;
  };
  static void Append(std::vector<GradientSample>& samples, const Way& way, const std::vector<double>& got,
                     const Parts& parts) {
    const Part& part = *parts.at(way.rank);
    for (const int other : way.ranks) {
      const auto found = parts.find(other);
      const bool is_seen = found != parts.end() && !found->second->added.empty() && found->second->at == part.at &&
                           !found->second->carried;
      if (!is_seen) return;
    }
    for (size_t k = 0; k < got.size(); ++k) {
      const auto index = static_cast<size_t>(part.inside[k]);
      GradientSample sample{way.name, way.rank, part.at[index], got[k], way.ranks};
      for (const int other : way.ranks) {
        std::vector<double>& terms = sample.terms.emplace_back();
        for (const auto& added : parts.at(other)->added) terms.push_back(added[index]);
      }
      sample.unit_roundoff = std::max(UnitRoundoff(part.dtype), UnitRoundoff("float32"));
      sample.near_zero = RoundingNearZero(part.dtype);
      sample.expected_factor = way.clip.coefficient / static_cast<double>(way.ranks.size());
      sample.slack = way.clip.slack;
      sample.is_promised = way.is_promised;
      sample.zeroed = static_cast<size_t>(part.zeroed);
      samples.push_back(std::move(sample));
    }
  }

  /// Ranks whose steps do not belong together: one of them left a step out.
  static std::string OutOfStep(const Records& all) {
    const GradientsRecord& first = all.begin()->second;
    for (const auto& [rank, r] : all) {
      if (r.batches != first.batches)
        return fmt::format("rank {} makes this step after {} batches, rank {} after {}: a step was left out", rank,
                           r.batches, first.from.rank, first.batches);
    }
    return "";
  }

  void Judge(const Pointers& samples, const Records& all) {
    Pointers wrong;
    for (const GradientSample* sample : samples) {
      if (!Explains(*sample, AllTerms(*sample), sample->expected_factor)) wrong.push_back(sample);
    }
    if (wrong.empty()) return;
    const int64_t step = all.begin()->second.at.step;
    if (const std::string why = OutOfStep(all); !why.empty()) return findings_.Add(step, -1, "all gradients", why);
    if (const std::optional<Mistake> mistake = MistakeOf(samples)) {
      if (mistake->drops_first > 0 && mistake->drops_first == samples.front()->zeroed)
        return findings_.AddNotice(step, -1, "all gradients",
                                   mistake->text + ": zero_grad was called between backwards");
      return findings_.Add(step, -1, "all gradients", mistake->text + Example(*samples.front()));
    }
    const double common = CommonFactor(samples);
    const bool is_one_factor = std::ranges::all_of(samples, [&](const GradientSample* sample) {
      return Explains(*sample, AllTerms(*sample), sample->expected_factor * common);
    });
    if (is_one_factor)
      return Add(step, -1, "all gradients", fmt::format("{:.6g} times what they should be", common), *samples.front());
    for (const Pointers& of_one : ByName(wrong)) {
      const std::optional<Mistake> own = MistakeOf(of_one);
      Add(step, of_one.front()->rank, of_one.front()->name,
          own ? own->text : "its gradient is not the mean of what backward produced", *of_one.front());
    }
  }

  /// What the user's own code may have meant is a notice.
  void Add(int64_t step, int rank, const std::string& what, const std::string& text, const GradientSample& sample) {
    if (sample.is_promised) return findings_.Add(step, rank, what, text + Example(sample));
    findings_.AddNotice(step, rank, what, "by code that is not followed: " + text + Example(sample));
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
                       std::abs(s.expected_factor) * (sum.error + s.slack * std::abs(sum.total)) + sum.near_zero);
  }

  /// What backward produced must reach the optimizer at all.
  void JudgeWhetherGiven(const Records& all) {
    std::set<std::string> produced, given;
    for (const auto& [rank, record] : all) {
      for (const Part& part : record.parts) {
        const std::string name = findings_.run().NameOf(rank, part.parameter);
        for (const auto& added : part.added) {
          if (std::ranges::any_of(added, [](double x) { return x != 0; })) produced.insert(name);
        }
        if (!part.gradient.empty()) given.insert(name);
      }
    }
    if (!produced.empty() && given.empty())
      findings_.Add(all.begin()->second.at.step, -1, "all gradients",
                    "backward produced them, and the optimizer was given none");
  }

  /// Between the end of backward and the step, clipping alone is known.
  void JudgeWhatIsGiven(const Records& all) {
    for (const auto& [rank, record] : all) {
      bool is_clipped = false, is_scaled = false;
      for (const Part& part : record.parts) {
        const std::optional<Clip> clip = ClipOf(record, part.parameter);
        if (!clip || part.arrived.empty() || part.gradient.empty() || part.carried) continue;
        const bool shows = std::ranges::any_of(part.arrived, [](double x) { return std::abs(x) > kSmallest; });
        is_clipped = is_clipped || (shows && clip->coefficient < 1 - clip->slack);
        is_scaled = is_scaled || part.gradient != part.arrived;
        for (size_t k = 0; k < part.gradient.size(); ++k) {
          const double expected = part.arrived[k] * clip->coefficient, got = part.gradient[k];
          const std::string& place = findings_.run().Find(rank, part.parameter)->place;
          if (place == "plain" ||
              std::abs(got - expected) <= std::abs(expected) * (clip->slack + kRoundedFactor) + kTiny)
            continue;
          if (!std::isfinite(got + expected)) continue;
          if (place == "partition") {
            AddGiven(record, part, k, expected);
          } else if (got != part.arrived[k]) {
            findings_.AddNotice(
                record.at.step, rank, "gradients that were changed before the step",
                fmt::format("{} element {}: {} after backward, {} in the step",
                            findings_.run().NameOf(rank, part.parameter), Position(part, k), part.arrived[k], got));
          }
        }
      }
      if (is_clipped && !is_scaled)
        findings_.Add(record.at.step, rank, "all gradients",
                      "clip_grad_norm_ was to scale them, and left them as they were");
    }
  }

  /// No code of the user stands between DeepSpeed's reduction and its step.
  void AddGiven(const GradientsRecord& record, const Part& part, size_t k, double expected) {
    findings_.Add(
        record.at.step, record.from.rank, "gradients of the step",
        fmt::format("{} element {}: {} after the reduction, with a loss scale of {}; the step is given {}, {:.6g} "
                    "times what clipping and unscaling make of it",
                    findings_.run().NameOf(record.from.rank, part.parameter), Position(part, k), part.arrived[k],
                    record.loss_scale, part.gradient[k], part.gradient[k] / expected));
  }
  static int64_t Position(const Part& part, size_t k) { return part.at[static_cast<size_t>(part.inside[k])]; }

  /// A notice on parameters that no framework has wrapped.
  void SayWhatIsNotAveraged(const Records& all) {
    if (!plain_.own.empty() && plain_.mean.size() > plain_.own.size())
      findings_.AddNotice(all.begin()->second.at.step, -1, plain_.own.front(),
                          fmt::format("each rank kept its own gradient of it, that of {} and others is the mean of all",
                                      plain_.mean.front()));
  }

  std::map<int64_t, std::map<int, ClipRecord>> calls_;
  std::map<std::pair<int64_t, int>, std::optional<NormOfRank>> norms_;  // of a call on a rank, in the step judged
  Meeting<StepOf, GradientsRecord> meeting_;
  Plain plain_;  // of the step that is judged
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
     .unseen =
         "no parameter was followed from backward to a step on several ranks: those of FSDP1 with use_orig_params, "
         "tensor parallel ones, and those of some settings of DeepSpeed never are",
     .bugs = {{"One divide factor gave different gradients on 1-D and 2-D meshes.",
               "https://github.com/pytorch/pytorch/issues/155903"},
              {"With offload only the last of several backward passes stayed.",
               "https://github.com/deepspeedai/DeepSpeed/pull/7981"}}});

}  // namespace
}  // namespace zerocts::watch

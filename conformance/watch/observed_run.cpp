#include "conformance/watch/observed_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace zerocts::watch {

std::string Finding::Sentence() const {
  std::vector<std::string> where;
  if (step >= 0) where.push_back(fmt::format("step {}", step));
  if (rank >= 0) where.push_back(fmt::format("rank {}", rank));
  if (!what.empty()) where.push_back(what);
  const std::string again = times > 1 ? fmt::format(" ({} times)", times) : "";
  return fmt::format("{}{}{}{}", fmt::join(where, ", "), where.empty() ? "" : ": ", text, again);
}

void ObservedRun::Take(const Record& record) {
  std::visit(
      [&](const auto& r) {
        world_ = std::max(world_, r.from.world);
        using Kind = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<Kind, StartRecord>) {
          processes_.push_back(r);
          started_.insert(r.from.rank);
        } else if constexpr (std::is_same_v<Kind, ParameterRecord>) {
          parameters_.insert_or_assign({r.from.rank, r.parameter}, r);
        } else if constexpr (std::is_same_v<Kind, StepRecord>) {
          steps_ = std::max(steps_, r.at.step + 1);
        } else if constexpr (std::is_same_v<Kind, OffRecord>) {
          switched_off_.emplace_back(r.from.rank, r.reason);
        } else if constexpr (std::is_same_v<Kind, EndRecord>) {
          ended_.insert(r.from.rank);
        }
      },
      record);
}

const ParameterRecord* ObservedRun::Find(int rank, int64_t parameter) const {
  const auto found = parameters_.find({rank, parameter});
  return found == parameters_.end() ? nullptr : &found->second;
}

std::string ObservedRun::NameOf(int rank, int64_t parameter) const {
  const ParameterRecord* found = Find(rank, parameter);
  return found ? found->name : fmt::format("parameter {}", parameter);
}

void ObservedRun::Add(Finding finding) {
  const std::string what = fmt::format("{}/{}", static_cast<int>(finding.level), finding.what);
  const auto [place, is_new] = found_.try_emplace({finding.clause, what}, findings_.size());
  if (!is_new) {
    ++findings_[place->second].times;
    return;
  }
  findings_.push_back(std::move(finding));
  if (said_[{findings_.back().clause, findings_.back().level}]++ < kMostSaid) say_(findings_.back());
}

int64_t ObservedRun::judged(const std::string& clause) const {
  const auto found = judged_.find(clause);
  return found == judged_.end() ? 0 : found->second;
}

std::map<std::string, PartsOfRanks> PartsByName(const std::map<int, GradientsRecord>& all, const ObservedRun& run) {
  std::map<std::string, PartsOfRanks> by_name;
  for (const auto& [rank, record] : all) {
    for (const GradientsRecord::Part& part : record.parts) by_name[run.NameOf(rank, part.parameter)][rank] = &part;
  }
  return by_name;
}

std::string RanksText(const std::vector<int>& ranks) {
  if (ranks.size() < 2) return fmt::format("rank {}", fmt::join(ranks, ""));
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "), ranks.back());
}

}  // namespace zerocts::watch

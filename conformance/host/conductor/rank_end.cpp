#include "conformance/host/conductor/rank_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/launchers/child_process.hpp"

namespace zerocts {

namespace {

/// "OUT_OF_MEMORY" for a status code of zerocts_subject.h; "code 17" for others.
std::string StatusCodeName(int code) {
  switch (code) {
    case ZEROCTS_OK: return "OK";
    case ZEROCTS_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case ZEROCTS_UNIMPLEMENTED: return "UNIMPLEMENTED";
    case ZEROCTS_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case ZEROCTS_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
    case ZEROCTS_INTERNAL: return "INTERNAL";
    default: return fmt::format("code {}", code);
  }
}

constexpr size_t kMostNamed = 8;  // ranks of a sentence that says something of each

/// " and 56 more", of so many that a sentence would name.
std::string AndMore(size_t ranks) { return ranks > kMostNamed ? fmt::format(" and {} more", ranks - kMostNamed) : ""; }

bool IsTimeout(const RankEnd& end) { return end.ending == Ending::kRefused && end.code == ZEROCTS_DEADLINE_EXCEEDED; }

std::string Sentence(const RankEnds& ends, int rank) { return fmt::format("rank {} {}", rank, ends[rank]->text); }

/// The same for ranks that wait in one place: without the process.
std::string PlaceOf(const std::string& position) {
  const size_t stands = position.find(", stands ");
  return stands == std::string::npos ? position : position.substr(stands);
}

/// One that stands where no other does comes first: they wait for it.
std::string HangSentence(std::vector<int> missing, const std::vector<std::string>& last_position) {
  const auto place = [&](int rank) { return PlaceOf(last_position[rank]); };
  std::ranges::stable_partition(missing,
                                [&](int rank) { return std::ranges::count(missing, place(rank), place) == 1; });
  return fmt::format("{} did not answer before the deadline", RankList(missing)) +
         EachRank(missing, [&](int rank) { return last_position[rank]; });
}

/// What each rank did, those first that refused for a reason of their own.
CaseEnd Disagreement(const RankEnds& ends) {
  std::vector<std::string> causes, others;
  for (size_t r = 0; r < ends.size(); ++r) {
    auto& texts = ends[r] && ends[r]->ending == Ending::kRefused && !IsTimeout(*ends[r]) ? causes : others;
    texts.push_back(fmt::format("rank {} {}", r, ends[r] ? ends[r]->text : "has not answered"));
  }
  causes.insert(causes.end(), others.begin(), others.end());
  return {Ending::kDisagreement,
          fmt::format("the ranks ended differently: {}{}", fmt::join(std::views::take(causes, kMostNamed), ", "),
                      AndMore(causes.size()))};
}

}  // namespace

std::vector<int> WithoutEnd(const RankEnds& ends) {
  std::vector<int> ranks;
  for (size_t r = 0; r < ends.size(); ++r) {
    if (!ends[r]) ranks.push_back(static_cast<int>(r));
  }
  return ranks;
}

bool Note(RankEnds& ends, int rank, RankEnd end) {
  std::optional<RankEnd>& known = ends[static_cast<size_t>(rank)];
  if (known && !(known->answered() && !end.answered())) return false;
  end.order = 0;
  for (const auto& other : ends) end.order = std::max(end.order, other ? other->order + 1 : 0);
  known = std::move(end);
  return true;
}

int FirstEnd(const RankEnds& ends, const std::function<bool(const RankEnd&)>& is) {
  int first = -1;
  for (size_t r = 0; r < ends.size(); ++r) {
    if (ends[r] && is(*ends[r]) && (first < 0 || ends[r]->order < ends[first]->order)) first = static_cast<int>(r);
  }
  return first;
}

CaseEnd EndOfCase(const RankEnds& ends, const std::vector<std::string>& last_position) {
  if (const int rank = FirstEnd(ends, [](const RankEnd& e) { return e.ending == Ending::kGarbage; }); rank >= 0) {
    return {Ending::kGarbage, Sentence(ends, rank)};
  }
  if (const int rank = FirstEnd(ends, [](const RankEnd& e) { return e.ending == Ending::kBreach; }); rank >= 0) {
    return {Ending::kBreach, Sentence(ends, rank)};
  }
  if (const int rank = FirstEnd(ends, [](const RankEnd& e) { return e.crashed(); }); rank >= 0) {
    return {Ending::kCrash, Sentence(ends, rank)};
  }
  if (const int rank = FirstEnd(ends, [](const RankEnd& e) { return e.ending == Ending::kEarlyExit; }); rank >= 0) {
    return {Ending::kEarlyExit, Sentence(ends, rank) + "; the case was not done"};
  }
  const auto refused = [](const RankEnd& e) { return e.ending == Ending::kRefused && !IsTimeout(e); };
  if (const std::vector<int> missing = WithoutEnd(ends); !missing.empty()) {
    return FirstEnd(ends, refused) < 0 ? CaseEnd{Ending::kHang, HangSentence(missing, last_position)}
                                       : Disagreement(ends);
  }
  const auto all = [&](auto is) {
    return std::all_of(ends.begin(), ends.end(), [&](const auto& end) { return is(*end); });
  };
  if (all([](const RankEnd& e) { return e.ending == Ending::kObserved; })) return {};
  if (all([](const RankEnd& e) { return e.ending == Ending::kUnsupported; }))
    return {Ending::kUnsupported, ends[0]->text};
  if (all(refused)) return {Ending::kRefused, Sentence(ends, FirstEnd(ends, refused))};
  if (all(IsTimeout)) return {Ending::kRefused, Sentence(ends, FirstEnd(ends, IsTimeout))};
  return Disagreement(ends);
}

std::string NotDeclared(const std::string& need) { return "the subject does not declare what the case needs: " + need; }

std::string RankList(const std::vector<int>& ranks) {
  std::vector<std::string> parts;
  for (size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    for (end = begin + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
    if (end - begin > kMostNamed) {
      parts.push_back(fmt::format("{} to {}", ranks[begin], ranks[end - 1]));
      continue;
    }
    for (size_t i = begin; i < end; ++i) parts.push_back(std::to_string(ranks[i]));
  }
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(parts, ", "));
}

std::string EachRank(const std::vector<int>& ranks, const std::function<std::string(int)>& what) {
  std::string text;
  for (const int rank : std::views::take(ranks, kMostNamed))
    text += fmt::format("{} rank {}: {}", text.empty() ? ";" : ",", rank, what(rank));
  return text + AndMore(ranks.size());
}

RankEnd EndFrom(const EndedMessage& ended, const std::string& stood) {
  if (ended.kind == EndKind::kSaidTooMuch)
    return {Ending::kCrash, 0, fmt::format("{}, it stood {}", ended.text, stood)};
  if (ended.kind == EndKind::kSignaled)
    return {Ending::kCrash, 0, fmt::format("was killed by {}, it stood {}", SignalText(ended.code), stood)};
  return {ended.code == 0 ? Ending::kEarlyExit : Ending::kCrash, ended.code,
          fmt::format("exited with {}, it stood {}", ended.code, stood)};
}

RankEnd EndFrom(const RefusedMessage& refused) {
  const std::string step = refused.step < 0 ? "" : fmt::format(" (step {})", refused.step);
  return {Ending::kRefused, refused.code,
          fmt::format("refused {}{}: {}: {}", refused.call, step, StatusCodeName(refused.code), refused.text)};
}

}  // namespace zerocts

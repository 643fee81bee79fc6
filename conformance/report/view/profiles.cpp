#include "conformance/report/view/profiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

using nlohmann::json;

bool IsJudged(const ClauseShown& clause, const std::string& feature) {
  if (!IsAsked(clause.result)) return false;
  const auto count = clause.features.find(feature);
  return feature.empty() || (count != clause.features.end() && count->second > 0);
}

ProfileReached ReachedOf(const ProfilePlan& profile, const std::map<std::string, ClauseShown>& shown) {
  ProfileReached reached{.name = profile.name, .of = std::ssize(profile.clauses)};
  for (const std::string& id : profile.clauses) {
    const auto clause = shown.find(id);
    if (clause == shown.end() || !IsJudged(clause->second, profile.feature)) continue;
    ++reached.judged;
    reached.passed += clause->second.result == Result::kPass;
    if (clause->second.result == Result::kSelfReported) reached.self_reported.push_back(id);
  }
  return reached;
}

std::string CountOf(const ProfileReached& p) {
  switch (p.reach()) {
    case Reach::kSelfReported: return fmt::format(" ({})", fmt::join(p.self_reported, ", "));
    case Reach::kInPart: return fmt::format(" ({} of {})", p.passed, p.of);
    default: return "";
  }
}

}  // namespace

std::string ToString(Reach reach) {
  switch (reach) {
    case Reach::kInFull: return "in full";
    case Reach::kSelfReported: return "self-reported";
    case Reach::kInPart: return "in part";
    case Reach::kNotClaimed: return "not claimed";
  }
  return "";
}

json ToJson(const std::vector<ProfilePlan>& profiles) {
  json list = json::array();
  for (const ProfilePlan& p : profiles)
    list.push_back({{"name", p.name}, {"feature", p.feature}, {"clauses", p.clauses}});
  return list;
}

std::vector<ProfilePlan> ProfilesFromJson(const json& profiles) {
  std::vector<ProfilePlan> plans;
  for (const json& profile : profiles)
    plans.push_back({profile.at("name"), profile.at("feature"), profile.at("clauses")});
  return plans;
}

Reach ProfileReached::reach() const {
  if (judged == 0) return Reach::kNotClaimed;
  if (passed == of) return Reach::kInFull;
  return passed + std::ssize(self_reported) == of ? Reach::kSelfReported : Reach::kInPart;
}

std::string ProfileReached::Text() const { return fmt::format("{} {}{}", name, ToString(reach()), CountOf(*this)); }

std::string ProfileReached::NameAndCount() const { return name + CountOf(*this); }

json ToJson(const std::vector<ProfileReached>& profiles) {
  json list = json::array();
  for (const ProfileReached& p : profiles)
    list.push_back({{"name", p.name},
                    {"reach", ToString(p.reach())},
                    {"passed", p.passed},
                    {"of", p.of},
                    {"self_reported", p.self_reported}});
  return list;
}

std::vector<ProfileReached> ProfilesReached(const std::vector<ProfilePlan>& profiles,
                                            const std::map<std::string, ClauseShown>& shown) {
  std::vector<ProfileReached> reached;
  for (const ProfilePlan& profile : profiles) reached.push_back(ReachedOf(profile, shown));
  return reached;
}

std::vector<std::string> MissedOf(const std::vector<ProfileReached>& profiles,
                                  const std::vector<std::string>& required) {
  std::vector<std::string> missed;
  for (const std::string& name : required) {
    const auto profile = std::ranges::find(profiles, name, &ProfileReached::name);
    if (profile == profiles.end()) {
      missed.push_back(name + " not known");
    } else if (profile->reach() != Reach::kInFull) {
      missed.push_back(profile->Text());
    }
  }
  return missed;
}

}  // namespace zerocts

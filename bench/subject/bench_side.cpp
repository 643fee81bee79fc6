#include "bench/subject/bench_side.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

std::vector<std::string> PartsOf(const std::string& text) {
  if (text.starts_with("exec:")) return {text};
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

int StageFrom(const std::string& value) {
  if (value.size() == 1 && value[0] >= '0' && value[0] <= '3') return value[0] - '0';
  throw std::invalid_argument("stage: expected 0, 1, 2 or 3, got " + value);
}

/// False: it is no key of an arrangement.
bool Arrange(BenchArrangement& arrangement, const std::string& key, const std::string& value) {
  if (key == "stage") {
    arrangement.stage = StageFrom(value);
  } else if (key == "plan") {
    arrangement.plan = value;
  } else if (key == "overlap") {
    arrangement.overlap = OverlapFromString(value);
  } else if (key == "offload") {
    arrangement.offload = OffloadFromString(value);
  } else if (key == "precision") {
    arrangement.precision = PrecisionFromString(value);
  } else {
    return false;
  }
  return true;
}

void Set(BenchSide& side, SubjectChoice& choice, const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw std::invalid_argument(fmt::format("expected key=value after a comma, got \"{}\"", setting));
  }
  const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
  if (key == "version") {
    choice.version = value;
  } else if (key == "python") {
    choice.python = value;
  } else if (!Arrange(side.arrangement, key, value)) {
    if (key == "device") choice.device = value;  // which a framework must be built for
    side.subject.options.emplace_back(key, value);
  }
  side.says_stage = side.says_stage || key == "stage";
}

/// Records are read elsewhere, and paths hold names of users.
std::string NameWithoutPaths(std::vector<std::string> parts, const SubjectInfo& info) {
  for (std::string& part : parts) {
    if (part.starts_with("python=")) part = "version=" + info.version;
  }
  if (parts.front().starts_with("plugin:")) {
    parts.front() = "plugin:" + std::filesystem::path(parts.front().substr(7)).stem().string();
  }
  if (parts.front().starts_with("exec:")) parts.front() = "exec:" + info.name;
  if (IsTorchOptimizer(parts.front())) parts.front() = info.name;
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

BenchSide SideFromText(const std::string& text, const BenchArrangement& usual, const HostSettings& settings) {
  const std::vector<std::string> parts = PartsOf(text);
  BenchSide side{.arrangement = usual};
  SubjectChoice choice;
  try {
    for (size_t i = 1; i < parts.size(); ++i) Set(side, choice, parts[i]);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("{}: {}", text, wrong.what()));
  }
  const SubjectOptionList options = std::move(side.subject.options);
  side.subject = ResolveSubject(parts.front(), choice, options);
  side.subject.text = text;
  const SubjectInfo info = AskSubject(side.subject, settings);
  side.can = info.capabilities;
  side.name = NameWithoutPaths(parts, info);
  return side;
}

Unsharded WithoutSharding(const BenchSide& side, int ranks) {
  Unsharded unsharded{side, ranks, "the same, stage 0"};
  if (Contains(side.can.stages, 0)) {
    unsharded.side.arrangement.stage = 0;
  } else {
    unsharded.ranks = 1;
    unsharded.label = "the same, 1 rank";
  }
  return unsharded;
}

void BenchGroup::Start() {
  try {
    if (!group_) group_ = std::make_unique<RankGroup>(side_.subject, launcher_, size_.ranks, settings_);
  } catch (const StartEnded& ended) {
    ThrowEnded(ended.end.result, ended.what());
  }
}

void BenchGroup::Stop() {
  if (group_) group_->Stop();
  group_.reset();
}

GroupMeasurement BenchGroup::Run(const StepWatcher& watcher) {
  Case c = BenchCase(side_.can, side_.arrangement, size_);
  c.report_steps = static_cast<bool>(watcher);
  Start();
  const RunResult result = group_->Run(c, "", watcher);
  if (group_->spent()) group_.reset();
  return MeasurementOf(result);
}

}  // namespace zerocts

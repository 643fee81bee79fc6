#include "conformance/session/failure/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/host/conductor/shipped_inputs.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/user_file.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// One tensor, or scalar, after one step (-1: after load).
struct TensorAtStep {
  std::string what;
  int64_t step;
  int parameter;
};

bool IsNorm(const std::string& what) { return what == "grad_norm" || what == "clip_coefficient"; }

/// Where the first difference was seen; every parameter at the end when the failure is of another kind.
std::vector<TensorAtStep> TensorsOf(const Failure& failure) {
  const std::optional<Divergence>& d = failure.finding.divergence;
  if (d && (IsNorm(d->what) || ClassOf(d->what))) {
    return {{d->what, d->what == "parameter_before_step" ? d->step - 1 : d->step, d->parameter}};
  }
  std::vector<TensorAtStep> wanted;
  for (size_t p = 0; p < failure.c.experiment.parameters.size(); ++p) {
    wanted.push_back({"parameter", failure.c.experiment.steps - 1, static_cast<int>(p)});
  }
  return wanted;
}

/// The run in which it was seen; of the two of a reshard the loading one, unless those who saved were wrong.
Case RunThatShows(const Failure& failure) {
  const Case& c = failure.c;
  if (!IsResharded(c)) return c;
  const std::optional<Divergence>& d = failure.finding.divergence;
  return d && !d->by_loaders ? SavingRun(c) : LoadingRun(c);
}

json BitsOf(std::span<const float> values) {
  json bits = json::array();
  for (const float value : values) bits.push_back(Bits(value));
  return bits;
}

json BitsOf(const std::string& frame) {
  std::vector<float> values(frame.size() / sizeof(float));
  std::memcpy(values.data(), frame.data(), values.size() * sizeof(float));
  return BitsOf(values);
}

/// By the reference. Throws std::invalid_argument where the order of additions shows and is not declared.
json ExpectedAt(const Case& c, const std::vector<TensorAtStep>& wanted) {
  const Expected expected = ExpectedOf(c, OrderOf(c, {}));
  const ExpectedTensors tensors(c.experiment, expected);
  json found = json::array();
  for (const auto& [what, step, parameter] : wanted) {
    const json bits = IsNorm(what)
                          ? json{Bits(expected.steps[static_cast<size_t>(step)].grad_norm)}
                          : BitsOf(tensors.Of(what == "parameter_before_step" ? "parameter" : what, step, parameter));
    found.push_back({{"what", WithoutResume(what)}, {"parameter", parameter}, {"bits", bits}});
  }
  return found;
}

json InputsOf(const Case& c) {
  json ranks = json::array();
  for (int rank = 0; rank < c.world_size(); ++rank) {
    const ShippedInputs inputs = ShippedInputsOf(c, rank);
    json frames = json::array();
    for (const std::string& frame : inputs.frames) frames.push_back(BitsOf(frame));
    ranks.push_back({{"without_gradient", inputs.without_gradient}, {"frames", frames}});
  }
  return ranks;
}

json RequestFor(const Failure& failure, const Case& run, const std::string& file, const SessionSettings& settings) {
  const Clause& clause = FindClause(run.clause);
  const std::vector<TensorAtStep> wanted = TensorsOf(failure);
  return {{"clause", clause.id},
          {"name", clause.name},
          {"requires", clause.sentence},
          {"seen", failure.finding.sentence},
          {"subject", settings.subject.text},
          {"version", settings.info.version},
          {"zerocts", ZEROCTS_VERSION},
          {"file", fs::path(file).filename()},
          {"case", ToJson(run)},
          {"inputs", InputsOf(run)},
          {"inputs_of_savers", LoadsOnly(run) ? InputsOf(SavingRun(failure.c)) : json::array()},
          {"steps", wanted.empty() ? run.experiment.steps : wanted.front().step + 1},
          {"after_resume", !wanted.empty() && IsAfterResume(wanted.front().what)},
          {"rank", failure.finding.divergence ? failure.finding.divergence->rank : -1},
          {"expected", ExpectedAt(run, wanted)}};
}

/// Adapters and templates have the same names.
std::string TemplateOf(const std::string& subject) {
  const std::vector<FrameworkSubject>& frameworks = FrameworkSubjects();
  return fs::path(std::ranges::find(frameworks, subject, &FrameworkSubject::name)->adapter).stem();
}

/// The number of ranks of each of the file's runs, one after the other.
json NumbersOfRanks(const Case& run) {
  return LoadsOnly(run) ? json{run.checkpoint->other_world_size, run.world_size()} : json{run.world_size()};
}

json Write(const Failure& failure, const std::string& file, const SessionSettings& settings) {
  const SubjectSpec& subject = settings.subject;
  if (failure.c.fidelity == Fidelity::kSelfParity)
    return {{"reason", "what is expected is what one rank of it gives, which no file can tell"}};
  if (!subject.options.empty()) {
    const auto& [key, value] = subject.options.front();
    return {{"reason", fmt::format("it was seen with {}={}, which the framework alone does not have", key, value)}};
  }
  const Case run = RunThatShows(failure);
  const std::string request = Dumped(RequestFor(failure, run, file, settings));
  const PythonAnswer answer = AskPython(subject.python, "reproducer.py", {TemplateOf(subject.text)}, request);
  if (!answer.found) return {{"reason", answer.text}};
  if (const int error = ReplaceFile(file, {answer.text, "\n"}))
    return {{"reason", fmt::format("cannot write {}: {}", file, std::strerror(error))}};
  return {{"file", file}, {"python", subject.python}, {"ranks", NumbersOfRanks(run)}};
}

}  // namespace

json WriteReproducer(const Failure& failure, const std::string& file, const SessionSettings& settings) {
  if (!IsFramework(settings.subject.text)) return nullptr;
  try {
    return Write(failure, file, settings);
  } catch (const std::exception& error) {
    return {{"reason", error.what()}};
  }
}

std::string ReproducerBeside(const std::string& case_file) {
  const fs::path path(case_file);
  return path.parent_path() / ("reproduce-" + path.stem().string() + ".py");
}

}  // namespace zerocts

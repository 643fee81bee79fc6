// Our own checkpoints are read here. Those of others are read by formats/, a program in Python: it runs in a process of
// its own, which may take little and do nothing but read, and answers a line of JSON.
#include "conformance/plans/reading.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/plans/fuzz/planner_process.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts::read {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes kDeadline{15};

std::vector<std::string> SentencesFrom(JsonFields& fields, const std::string& name) {
  return ItemsFrom<std::string>(fields, name, [](const json& sentence, const std::string& path) {
    if (!sentence.is_string()) ThrowUnexpected(path, "a sentence", sentence);
    return sentence.get<std::string>();
  });
}

Reading ReadingFrom(const json& answer) {
  JsonFields fields(answer, "answer");
  if (fields.Has("refused")) throw std::invalid_argument(fields.Text("refused"));
  if (fields.Has("missing"))
    throw HarnessError(fmt::format("reading this format needs the Python package {}: install it for python3",
                                   PrintableLine(fields.Text("missing"))));
  if (fields.Has("broken"))
    throw HarnessError(fmt::format("the reader of this format is broken: {}", PrintableLine(fields.Text("broken"))));
  JsonFields reading(fields.Any("reading"), "reading");
  return {.format = reading.Text("format"),
          .plan = plan::PlanFromJson(reading.Any("plan")),
          .faults = SentencesFrom(reading, "faults"),
          .untold = SentencesFrom(reading, "untold")};
}

Reading ReadForeign(const std::string& path) {
  const std::string program =
      (std::filesystem::path(OwnProgram()).parent_path().parent_path() / "share/zerocts/plans_read").string();
  const PlannerProcessSettings settings{
      .argv = {"python3", "-I", "-S", "-B", program, path}, .errors = "/dev/null", .deadline = kDeadline};
  try {
    return ReadingFrom(ParseJson(PlannerProcess(settings).Answer("")));
  } catch (const NoAnswer& wrong) {
    throw std::invalid_argument(fmt::format("its reader {}: refused", wrong.what()));
  } catch (const PlannerEnded& ended) {
    const std::string how = ended.what();
    if (how.starts_with("exited")) throw HarnessError(fmt::format("python3 {} {}", program, how));
    throw std::invalid_argument(fmt::format("its reader {}: refused", how));
  }
}

}  // namespace

Reading ReadCheckpoint(const std::string& path) {
  try {
    return IsZerocts(path) ? ReadZerocts(path) : ReadForeign(path);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("checkpoint {}: {}", PrintableLine(path), wrong.what()));
  }
}

}  // namespace zerocts::read

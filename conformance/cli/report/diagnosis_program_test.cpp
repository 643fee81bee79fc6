// zerocts report --diagnosis finds in a log what the run itself found.
#include <nlohmann/json.hpp>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST_F(Program, ReportDiagnosesARunThatIsOver) {
  const Ended ended = Run("check C-ZERO-052 --launcher threads --ranks 1,2 --cases 20 --out run --subject plugin:" +
                          std::string(ZEROCTS_LATE_MUTANT));
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  const Ended report = Run("report run --diagnosis");
  EXPECT_EQ(report.exit_code, 1) << report.err;
  const json diagnosis = json::parse(report.out);
  EXPECT_EQ(diagnosis.at("notes").at(0).at("text"), "as if changes of the learning rate never took effect")
      << report.out;
  const std::string log = Contents(folder() / "run/results.ndjson");
  EXPECT_EQ(diagnosis, json::parse(log.substr(log.rfind('\n', log.size() - 2) + 1)).at("diagnosis"));
}

}  // namespace
}  // namespace zerocts

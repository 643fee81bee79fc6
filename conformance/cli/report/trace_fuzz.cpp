// Traces of `zerocts train`, compared with themselves and with another one.
#include <nlohmann/json.hpp>

#include "conformance/cli/report/trace_diff.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

const std::string kTrace =
    R"json({"record":"header","format":1,"kernels":"avx2","experiment":{"parameters":[{"name":"w"},{"name":"b"}]},"order":[{"begin":0,"end":5,"fold":"(0+1)"}]})json"
    "\n"
    R"({"record":"step","step":0,"losses":[5.5],"grad_norm":1.5,"hashes":{"exp_avg/b":"1","gradient/w":"4","parameter/w":"6"}})"
    "\n"
    R"({"record":"step","step":1,"losses":[5.25],"grad_norm":null,"hashes":{"exp_avg/b":"2","gradient/w":"5","parameter/w":"7"}})"
    "\n";

}  // namespace

std::vector<std::string> FuzzSeeds() { return {kTrace}; }

void FuzzOne(std::string_view bytes) {
  static const Trace other = ReadTrace(FuzzFile(kTrace).path());
  const FuzzFile file(bytes);
  ReadOrRefuse<UsageError>(bytes, [&] {
    const Trace trace = ReadTrace(file.path());
    if (!FirstDifference(trace, trace).empty() || !DifferentConditions(trace, trace).empty()) std::abort();
    FirstDifference(trace, other);
    DifferentConditions(trace, other);
  });
}

}  // namespace zerocts

// google_records PROGRAM GOOGLE.json RECORDS.ndjson: appends what Google Benchmark wrote.
#include <fmt/format.h>

#include <cstdio>

#include "bench/record/google_records.hpp"
#include "bench/record/record_file.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

Figures Read(const std::string& program, const std::string& path) {
  const auto text = JsonFileText(path);
  if (!text) throw UsageError(fmt::format("{}: expected a file that can be read; check the path", path));
  try {
    return FiguresOfGoogle(program, ParseJson(*text));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("{}: expected what Google Benchmark writes as JSON: {}", path, wrong.what()));
  }
}

int Main(int argc, char** argv) {
  if (argc != 4) throw UsageError("expected google_records PROGRAM GOOGLE.json RECORDS.ndjson");
  const Figures figures = Read(argv[1], argv[2]);
  AppendRecords(argv[3], figures.records());
  fmt::print("{}: {} records added\n", argv[3], figures.records().size());
  return 0;
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  try {
    return zerocts::Main(argc, argv);
  } catch (const zerocts::UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return zerocts::kExitUsage;
  }
}

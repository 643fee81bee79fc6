// add_records RECORDS.ndjson: appends figures of programs that are no C++ or that crashed, which stand in the standard
// input as measured_figures.hpp says.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "bench/record/measured_figures.hpp"
#include "bench/record/record_file.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw zerocts::UsageError("expected add_records RECORDS.ndjson");
    zerocts::AppendRecords(argv[1], zerocts::RecordsOfMeasured(std::cin));
    return 0;
  } catch (const std::invalid_argument& wrong) {
    fmt::print(stderr, "error: standard input: {}\n", wrong.what());
  } catch (const zerocts::UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return zerocts::kExitUsage;
}

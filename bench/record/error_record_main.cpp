// error_record PROGRAM SENTENCE RECORDS.ndjson: appends why a program has no figures, where it could not say so itself.
#include <fmt/format.h>

#include <cstdio>

#include "bench/record/figures.hpp"
#include "bench/record/record_file.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw zerocts::UsageError("expected error_record PROGRAM SENTENCE RECORDS.ndjson");
    zerocts::Figures figures;
    figures.AddError(argv[1], zerocts::Parameters::object(), argv[2]);
    zerocts::AppendRecords(argv[3], figures.records());
    return 0;
  } catch (const zerocts::UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return zerocts::kExitUsage;
  }
}

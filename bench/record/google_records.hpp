// What Google Benchmark writes (--benchmark_out_format=json), as records.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/record/figures.hpp"

namespace zerocts {

/// For each benchmark its real time, "PROGRAM/NAME"; for each of its counters "PROGRAM/NAME:COUNTER", beside the bound
/// or peer that another counter tells. Repetitions are samples; a benchmark that failed is an error. Throws
/// std::invalid_argument for what Google Benchmark does not write, and for no benchmark at all.
Figures FiguresOfGoogle(const std::string& program, const nlohmann::json& output);

}  // namespace zerocts

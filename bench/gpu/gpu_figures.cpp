#include "bench/gpu/gpu_figures.hpp"

namespace zerocts {

void AddTo(Figures& figures, const GpuFigure& figure) {
  const bool is_rate = !figure.unit.empty();
  BenchRecord& record =
      is_rate ? figures.Add(figure.name, Parameters::object(), figure.unit + "/s", Direction::kBigger, figure.rate())
              : figures.Add(figure.name, Parameters::object(), "s", Direction::kSmaller, figure.seconds);
  record.parameters["seconds"] = figure.seconds;
  if (figure.goal > 0) record.parameters["goal"] = figure.goal;
  if (!figure.bound.empty()) record.bound = RecordedBound{figure.bound, figure.bound_rate};
}

GpuFigure Overhead(const std::string& name, double seconds, const std::string& other, double other_seconds) {
  return {
      .name = name, .seconds = seconds, .amount = 1, .unit = "step", .bound = other, .bound_rate = 1 / other_seconds};
}

}  // namespace zerocts

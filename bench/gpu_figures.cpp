#include "bench/gpu_figures.hpp"

#include <nlohmann/json.hpp>

namespace zerocts {

std::string LineOf(const Figure& figure) {
  nlohmann::ordered_json line = {{"figure", figure.name}, {"seconds", figure.seconds}};
  if (!figure.unit.empty()) {
    line["rate"] = figure.rate();
    line["unit"] = figure.unit + "/s";
  }
  if (!figure.bound.empty()) {
    line["bound"] = figure.bound;
    line["share"] = figure.share();
  }
  if (figure.goal > 0) line["goal"] = figure.goal;
  return line.dump();
}

Figure Overhead(const std::string& name, double seconds, const std::string& other, double other_seconds) {
  return {
      .name = name, .seconds = seconds, .amount = 1, .unit = "step", .bound = other, .bound_rate = 1 / other_seconds};
}

}  // namespace zerocts

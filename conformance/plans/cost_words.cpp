#include "conformance/plans/cost_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

const std::map<std::string, int> kMomentBytes = {{"adamw", 8}, {"adam", 8}, {"lamb", 8},
                                                 {"muon", 4},  {"sgd", 0},  {"sgd-momentum", 4}};
const std::map<std::string, double> kBandwidths = {{"B/s", 1},    {"kB/s", 1e3},  {"MB/s", 1e6},
                                                   {"GB/s", 1e9}, {"TB/s", 1e12}, {"Gbit/s", 0.125e9}};
const std::map<std::string, double> kTimes = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

std::string WordsOf(const auto& map) {
  std::string names;
  for (const auto& [name, value] : map) names += (names.empty() ? "" : ", ") + name;
  return names;
}

int BytesOfDtype(const char* option, const std::string& name) {
  const std::optional<plan::Dtype> dtype = plan::DtypeFrom(name);
  if (!dtype) throw UsageError(fmt::format("{}: expected {}, got '{}'", option, plan::DtypeNames(), name));
  return BytesOf(*dtype);
}

double Quantity(const std::string& text, const std::map<std::string, double>& units) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = units.find(std::string(read.ptr, text.data() + text.size()));
  if (read.ec != std::errc() || unit == units.end() || !std::isfinite(number) || number < 0) {
    throw UsageError(
        fmt::format("--link: expected a number and one of {}, such as 900GB/s,2us, got '{}'", WordsOf(units), text));
  }
  return number * unit->second;
}

std::vector<std::string> Split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != text.npos; begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

plan::Wire WireFrom(const std::string& text) {
  const std::vector<std::string> parts = Split(text, ",");
  if (parts.size() > 2) throw UsageError(fmt::format("--link: expected a bandwidth and a latency, got '{}'", text));
  plan::Wire wire{.bytes_per_second = Quantity(parts[0], kBandwidths)};
  if (parts.size() == 2) wire.latency_seconds = Quantity(parts[1], kTimes);
  if (wire.bytes_per_second == 0) throw UsageError("--link: expected a bandwidth above 0");
  return wire;
}

/// "INSIDE" or "INSIDE:BETWEEN:RANKS_PER_HOST"
plan::Link LinkFrom(const std::string& text) {
  const std::vector<std::string> parts = Split(text, ":");
  if (parts.size() != 1 && parts.size() != 3) {
    throw UsageError(
        fmt::format("--link: expected INSIDE, or INSIDE:BETWEEN:RANKS_PER_HOST, such as "
                    "900GB/s,2us:50GB/s,10us:8, got '{}'",
                    text));
  }
  plan::Link link{.inside = WireFrom(parts[0])};
  if (parts.size() == 1) return link;
  link.between = WireFrom(parts[1]);
  const auto read = std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), link.ranks_per_host);
  if (read.ec != std::errc() || read.ptr != parts[2].data() + parts[2].size() || link.ranks_per_host < 1)
    throw UsageError(fmt::format("--link: expected ranks per host from 1, got '{}'", parts[2]));
  return link;
}

}  // namespace

plan::CostNumbers NumbersOf(const CostWords& words) {
  plan::CostNumbers numbers{.micro_batches = words.micro_batches,
                            .reduce_each_micro_batch = words.reduce_each,
                            .bucket_elements = words.bucket};
  const auto moments = kMomentBytes.find(words.optimizer);
  if (moments == kMomentBytes.end())
    throw UsageError(fmt::format("--optimizer: expected {}, got '{}'", WordsOf(kMomentBytes), words.optimizer));
  numbers.moment_bytes = moments->second;
  if (words.precision == "fp32") {
    numbers.parameter_bytes = numbers.gradient_bytes = 4;
  } else if (words.precision == "mixed") {
    numbers.parameter_bytes = numbers.gradient_bytes = 2;
    numbers.master_bytes = 4;
  } else if (!words.precision.empty()) {
    throw UsageError(fmt::format("--precision: expected fp32 or mixed, got '{}'", words.precision));
  }
  if (!words.gradients.empty()) numbers.gradient_bytes = BytesOfDtype("--gradients", words.gradients);
  if (!words.wire.empty()) numbers.wire_bytes = BytesOfDtype("--wire", words.wire);
  if (words.all_reduce) numbers.gradient_sync = plan::GradientSync::kAllReduce;
  if (!words.link.empty()) numbers.link = LinkFrom(words.link);
  return numbers;
}

}  // namespace zerocts

// The figures of one run of a benchmark program, as records.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/record/provenance.hpp"
#include "bench/record/record.hpp"

namespace zerocts {

/// What a figure is of: {"stage": 2, "ranks": 2, ..}. Its name is made of it.
using Parameters = nlohmann::json;

/// "step_time/ranks=2/stage=2": in the order of the parameters' names.
std::string NameOfFigure(const std::string& what, const Parameters& parameters);

class Figures {
 public:
  explicit Figures(std::string subject = "native") : subject_(std::move(subject)) {}

  /// The median of seconds, with its interval where there are enough of them.
  BenchRecord& AddTime(const std::string& what, const Parameters& parameters, const std::vector<double>& seconds);
  /// The median of samples, with its interval where there are enough of them.
  BenchRecord& AddSamples(const std::string& what, const Parameters& parameters, const std::string& unit,
                          Direction direction, const std::vector<double>& samples);
  /// A count or a number of bytes, which has to be equal in every run.
  BenchRecord& AddCount(const std::string& what, const Parameters& parameters, const std::string& unit, int64_t count);
  /// One value of any kind.
  BenchRecord& Add(const std::string& what, const Parameters& parameters, const std::string& unit, Direction direction,
                   double value);
  void AddError(const std::string& what, const Parameters& parameters, const std::string& sentence);

  /// Runs `measure`; when it throws, the sentence is said and recorded as the error of `what`, and false is returned.
  bool Try(const std::string& what, const Parameters& parameters, const std::function<void()>& measure);
  bool failed() const { return failed_; }

  const std::vector<BenchRecord>& records() const { return records_; }

 private:
  /// Without value, unit and direction; "ranks" of the parameters tells whether it is oversubscribed.
  BenchRecord& AddBlank(const std::string& what, const Parameters& parameters);

  const std::string subject_;
  const StealClock steal_;
  std::vector<BenchRecord> records_;
  bool failed_ = false;
};

}  // namespace zerocts

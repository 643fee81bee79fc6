// The invalid request of a case, made in the options of open and in the calls of accumulate of the first step.
#pragma once
#include <span>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// The numbers under which the gradients of a micro-batch are given, {micro_batch} but for an invalid number of them.
inline std::vector<int> CallsOf(const Case& c, int64_t step, int micro_batch) {
  const bool is_last = micro_batch + 1 == c.experiment.micro_batches;
  if (step == 0 && is_last && c.invalid_request == InvalidRequest::kFewerMicroBatches) return {};
  if (step == 0 && is_last && c.invalid_request == InvalidRequest::kMoreMicroBatches)
    return {micro_batch, micro_batch + 1};
  return {micro_batch};
}

/// The options of the run, and what the case gets wrong in them.
inline SubjectOptionValues OptionsOf(const Case& c, SubjectOptionValues options) {
  if (c.invalid_request != InvalidRequest::kOption) return options;
  const size_t end_of_key = c.invalid_option.find('=');
  options.emplace_back(c.invalid_option.substr(0, end_of_key), c.invalid_option.substr(end_of_key + 1));
  return options;
}

/// The gradients that accumulate gets: those of the case, or what its invalid request makes of them, in memory that
/// lives as long as this.
class GivenGradients {
 public:
  GivenGradients(const Case& c, int64_t step, int micro_batch, std::span<const void* const> gradients)
      : given_(gradients) {
    if (step > 0 || micro_batch > 0) return;
    if (c.invalid_request == InvalidRequest::kFewerGradients) given_ = gradients.first(gradients.size() - 1);
    if (c.invalid_request != InvalidRequest::kMoreGradients && c.invalid_request != InvalidRequest::kGradientOfFrozen)
      return;
    invalid_.assign(gradients.begin(), gradients.end());
    if (c.invalid_request == InvalidRequest::kMoreGradients) {
      invalid_.push_back(gradients.front());
    } else {
      const auto frozen = static_cast<size_t>(c.experiment.roles.frozen.at(0).parameter);
      unwanted_.resize(static_cast<size_t>(c.experiment.parameters[frozen].numel()) + 1);
      invalid_[frozen] = unwanted_.data();
    }
    given_ = invalid_;
  }
  const void* const* data() const { return given_.data(); }
  uint32_t count() const { return static_cast<uint32_t>(given_.size()); }

 private:
  std::span<const void* const> given_;
  std::vector<const void*> invalid_;
  std::vector<float> unwanted_;
};

}  // namespace zerocts

// The invalid request of a case, made in the options of open and in the calls of accumulate of the first step.
#pragma once
#include <span>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// The numbers under which the gradients of a micro-batch are given, {micro_batch} but for an invalid number of them.
std::vector<int> CallsOf(const Case& c, int64_t step, int micro_batch);

/// The options of the run, and what the case gets wrong in them.
SubjectOptionValues OptionsOf(const Case& c, SubjectOptionValues options);

/// The gradients that accumulate gets: those of the case, or what its invalid request makes of them, in memory that
/// lives as long as this.
class GivenGradients {
 public:
  GivenGradients(const Case& c, int64_t step, int micro_batch, std::span<const void* const> gradients);
  const void* const* data() const { return given_.data(); }
  uint32_t count() const { return static_cast<uint32_t>(given_.size()); }

 private:
  std::span<const void* const> given_;
  std::vector<const void*> invalid_;
  std::vector<float> unwanted_;
};

}  // namespace zerocts

#include "conformance/host/rank/invalid_call.hpp"

namespace zerocts {

SubjectOptionValues OptionsOf(const Case& c, SubjectOptionValues options) {
  if (c.invalid_request != InvalidRequest::kOption) return options;
  const size_t end_of_key = c.invalid_option.find('=');
  options.emplace_back(c.invalid_option.substr(0, end_of_key), c.invalid_option.substr(end_of_key + 1));
  return options;
}

std::vector<int> CallsOf(const Case& c, int64_t step, int micro_batch) {
  const bool is_last = micro_batch + 1 == c.experiment.micro_batches;
  if (step == 0 && is_last && c.invalid_request == InvalidRequest::kFewerMicroBatches) return {};
  if (step == 0 && is_last && c.invalid_request == InvalidRequest::kMoreMicroBatches)
    return {micro_batch, micro_batch + 1};
  return {micro_batch};
}

GivenGradients::GivenGradients(const Case& c, int64_t step, int micro_batch, std::span<const void* const> gradients)
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

}  // namespace zerocts

#include "conformance/host/rank/mistaken_call.hpp"

namespace zerocts {

SubjectOptionValues OptionsOf(const Case& c, SubjectOptionValues options) {
  if (c.mistake != Mistake::kOption) return options;
  const size_t end_of_key = c.mistaken_option.find('=');
  options.emplace_back(c.mistaken_option.substr(0, end_of_key), c.mistaken_option.substr(end_of_key + 1));
  return options;
}

std::vector<int> CallsOf(const Case& c, int64_t step, int micro_batch) {
  const bool is_last = micro_batch + 1 == c.experiment.micro_batches;
  if (step == 0 && is_last && c.mistake == Mistake::kFewerMicroBatches) return {};
  if (step == 0 && is_last && c.mistake == Mistake::kMoreMicroBatches) return {micro_batch, micro_batch + 1};
  return {micro_batch};
}

GivenGradients::GivenGradients(const Case& c, int64_t step, int micro_batch, std::span<const void* const> gradients)
    : given_(gradients) {
  if (step > 0 || micro_batch > 0) return;
  if (c.mistake == Mistake::kFewerGradients) given_ = gradients.first(gradients.size() - 1);
  if (c.mistake != Mistake::kMoreGradients && c.mistake != Mistake::kGradientOfFrozen) return;
  mistaken_.assign(gradients.begin(), gradients.end());
  if (c.mistake == Mistake::kMoreGradients) {
    mistaken_.push_back(gradients.front());
  } else {
    const auto frozen = static_cast<size_t>(c.experiment.roles.frozen.at(0).parameter);
    unwanted_.resize(static_cast<size_t>(c.experiment.parameters[frozen].numel()) + 1);
    mistaken_[frozen] = unwanted_.data();
  }
  given_ = mistaken_;
}

}  // namespace zerocts

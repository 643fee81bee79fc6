#include "conformance/host/case_inputs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "conformance/cases/given_gradient.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

namespace {

/// Read once per process and vocabulary; by its hash, so that a file that changed is not taken for the old one.
std::shared_ptr<const TextCorpus> TextFor(const Experiment& experiment) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int64_t>, std::shared_ptr<const TextCorpus>> texts;
  std::lock_guard lock(mutex);
  std::shared_ptr<const TextCorpus>& text = texts[{experiment.text_hash, VocabOf(*experiment.model)}];
  if (!text) text = std::make_shared<const TextCorpus>(TextCorpus::LoadFor(experiment));
  return text;
}

void FillWithNan(std::vector<std::vector<float>>& tensors) {
  for (auto& tensor : tensors) std::fill(tensor.begin(), tensor.end(), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

CaseInputs::CaseInputs(const Case& c, int rank)
    : case_(c), experiment_(c.experiment), rank_(rank), poison_(c.poison_memory) {
  for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
    const size_t numel = static_cast<size_t>(experiment_.parameters[p].numel());
    initial_.push_back(InitialValuesOf(experiment_, static_cast<int>(p)));
    hasher_.Add(initial_.back());
    values_.emplace_back(numel);
    bf16_.emplace_back(IsBf16(p) ? numel : 0);
  }
  if (experiment_.gradients == GradientSource::kModel) {
    text_ = TextFor(experiment_);
    model_ = std::make_unique<Model>(*experiment_.model, experiment_.precision, HostOps());
  }
}

std::vector<std::vector<float>> CaseInputs::OtherInitial() const {
  std::vector<std::vector<float>> others;
  for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
    std::vector<float>& values = others.emplace_back(InitialValuesOf(experiment_, static_cast<int>(p)));
    for (float& value : values) value = 1.0f - value / 2;
  }
  return others;
}

void CaseInputs::ForgetInitial() {
  if (poison_) FillWithNan(initial_);
}

void CaseInputs::GiveGradients(int64_t step, int micro_batch) {
  const int64_t g = GlobalMicroBatch(micro_batch);
  for (size_t p = 0; p < values_.size(); ++p) {
    if (IsGivenAsNull(case_, static_cast<int>(p), step, g)) continue;
    FillGivenGradient(case_, step, g, static_cast<int>(p), values_[p].data());
    hasher_.Add(values_[p]);
  }
  Publish(step, micro_batch);
}

const Batch& CaseInputs::GiveBatch(int64_t step, int micro_batch) {
  batch_ = MakeBatch(experiment_, *text_, step, GlobalMicroBatch(micro_batch));
  hasher_.Add(batch_.inputs);
  hasher_.Add(batch_.targets);
  return batch_;
}

double CaseInputs::ComputeGradients(int64_t step, int micro_batch, const std::vector<std::vector<float>>& parameters) {
  const Batch& batch = GiveBatch(step, micro_batch);
  std::vector<const float*> in;
  std::vector<float*> out;
  for (const auto& parameter : parameters) in.push_back(parameter.data());
  for (auto& gradient : values_) out.push_back(gradient.data());
  const double loss = model_->ForwardBackward(in, out, batch.inputs.data(), batch.targets.data(), experiment_.batch);
  Publish(step, micro_batch);
  return loss;
}

void CaseInputs::Narrow() {
  for (size_t p = 0; p < values_.size(); ++p) {
    if (IsBf16(p)) std::transform(values_[p].begin(), values_[p].end(), bf16_[p].begin(), ToBf16);
  }
}

void CaseInputs::Publish(int64_t step, int micro_batch) {
  Narrow();
  pointers_.clear();
  for (size_t p = 0; p < values_.size(); ++p) {
    const void* given = IsBf16(p) ? static_cast<const void*>(bf16_[p].data()) : values_[p].data();
    const bool is_null = IsGivenAsNull(case_, static_cast<int>(p), step, GlobalMicroBatch(micro_batch));
    pointers_.push_back(is_null ? nullptr : given);
  }
}

void CaseInputs::ForgetGradients() {
  if (!poison_) return;
  FillWithNan(values_);
  Narrow();
}

}  // namespace zerocts

#include "conformance/host/rank/case_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "conformance/cases/inputs/given_gradient.hpp"
#include "conformance/cases/inputs/rank_inputs.hpp"
#include "reference/experiment/given_loss.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {
namespace {

void FillWithNan(CaseInputs::Tensors& tensors) {
  for (auto& tensor : tensors) std::fill(tensor.begin(), tensor.end(), std::numeric_limits<float>::quiet_NaN());
}

std::string OfParameter(const char* what, size_t p) { return fmt::format("{} of parameter {}", what, p); }

}  // namespace

CaseInputs::CaseInputs(const Case& c, int rank, RankPage& page)
    : case_(c),
      experiment_(c.experiment),
      rank_(rank),
      poison_(c.poison_memory),
      initial_pages_(page),
      micro_batch_pages_(page) {
  for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
    const size_t numel = static_cast<size_t>(experiment_.parameters[p].numel());
    const std::string gradient = OfParameter("the gradient", p);
    initial_.push_back(TakeInitialValues(p));
    hasher_.Add(initial_.back());
    values_.push_back(micro_batch_pages_.Take<float>(numel, gradient));
    bf16_.push_back(micro_batch_pages_.Take<Bf16>(IsBf16(p) ? numel : 0, gradient));
  }
  pointers_ = micro_batch_pages_.Take<const void*>(values_.size(), "the list of gradients");
  initial_pages_.Seal();
  if (experiment_.gradients == GradientSource::kModel) {
    text_ = TextCorpus::SharedFor(experiment_);
    model_ = std::make_unique<Model>(*experiment_.model, experiment_.precision, HostOps());
  }
}

std::span<float> CaseInputs::TakeInitialValues(size_t p) {
  const size_t numel = static_cast<size_t>(experiment_.parameters[p].numel());
  const std::span<float> values = initial_pages_.Take<float>(numel, OfParameter("the initial values", p));
  FillInitialValues(experiment_, static_cast<int>(p), values);
  return values;
}

const CaseInputs::Tensors& CaseInputs::OtherInitial() {
  initial_pages_.Open();
  for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
    if (p == other_initial_.size()) {
      other_initial_.push_back(TakeInitialValues(p));
    } else {  // of a fresh engine before
      FillInitialValues(experiment_, static_cast<int>(p), other_initial_[p]);
    }
    for (float& value : other_initial_[p]) value = BeforeLoad(value);
  }
  initial_pages_.Seal();
  return other_initial_;
}

void CaseInputs::ForgetInitial() {
  if (!poison_) return;
  initial_pages_.Open();
  FillWithNan(initial_);
  FillWithNan(other_initial_);
}

void CaseInputs::GiveGradients(int64_t step, int micro_batch) {
  if (RepeatsGradients(case_) && step > FirstStep(case_)) return;  // they still stand there
  const int64_t g = GlobalMicroBatch(case_, rank_, micro_batch);
  const bool is_first_time = IsFirstTime(step, micro_batch);
  micro_batch_pages_.Open();
  for (size_t p = 0; p < values_.size(); ++p) {
    if (IsGivenAsNull(case_, static_cast<int>(p), step, g)) continue;
    FillGivenGradient(case_, step, g, static_cast<int>(p), values_[p].data());
    if (is_first_time) hasher_.Add(values_[p]);
  }
  if (experiment_.curvature != 0) {
    linear_.clear();
    for (const std::span<float> values : values_) linear_.emplace_back(values.begin(), values.end());
    FillWithNan(values_);
  }
  Publish(step, micro_batch);
}

void CaseInputs::CurveGradient(int parameter, std::span<const float> forward, std::span<const float> backward) {
  const auto p = static_cast<size_t>(parameter);
  micro_batch_pages_.Open();
  std::ranges::copy(linear_[p], values_[p].begin());
  AddCurvature(experiment_, parameter, forward.data(), backward.data(), values_[p].data());
  Narrow(p);
  SealNow();
}

/// A fresh engine in the middle of a step gets micro-batches again.
bool CaseInputs::IsFirstTime(int64_t step, int micro_batch) {
  const int64_t number = step * experiment_.micro_batches + micro_batch;
  if (number < given_) return false;
  given_ = number + 1;
  return true;
}

Batch CaseInputs::HashedBatch(int64_t step, int micro_batch) {
  Batch batch = MakeBatch(experiment_, *text_, step, GlobalMicroBatch(case_, rank_, micro_batch));
  if (!IsFirstTime(step, micro_batch)) return batch;
  hasher_.Add(batch.inputs);
  hasher_.Add(batch.targets);
  return batch;
}

void CaseInputs::GiveBatch(int64_t step, int micro_batch) {
  const Batch batch = HashedBatch(step, micro_batch);
  micro_batch_pages_.Open();
  if (tokens_.empty()) {  // every batch has as many
    tokens_ = micro_batch_pages_.Take<int32_t>(batch.inputs.size(), "the inputs of the model");
    targets_ = micro_batch_pages_.Take<int32_t>(batch.targets.size(), "the targets of the model");
  }
  std::copy(batch.inputs.begin(), batch.inputs.end(), tokens_.begin());
  std::copy(batch.targets.begin(), batch.targets.end(), targets_.begin());
  micro_batch_pages_.Seal();
}

double CaseInputs::ComputeGradients(int64_t step, int micro_batch, const std::vector<std::vector<float>>& parameters) {
  const Batch batch = HashedBatch(step, micro_batch);
  micro_batch_pages_.Open();
  std::vector<const float*> in;
  std::vector<float*> out;
  for (const auto& parameter : parameters) in.push_back(parameter.data());
  for (auto& gradient : values_) out.push_back(gradient.data());
  const int expert = ExpertOfMicroBatch(experiment_, GlobalMicroBatch(case_, rank_, micro_batch));
  const double loss =
      model_->ForwardBackward(in, out, batch.inputs.data(), batch.targets.data(), experiment_.batch, 1.0f, expert);
  Publish(step, micro_batch);
  return loss;
}

void CaseInputs::Narrow(size_t p) {
  if (IsBf16(p)) HostOps().CastToBf16(bf16_[p].data(), values_[p].data(), std::ssize(values_[p]));
}

void CaseInputs::Publish(int64_t step, int micro_batch) {
  step_ = step;
  micro_batch_ = micro_batch;
  for (size_t p = 0; p < values_.size(); ++p) {
    Narrow(p);
    const void* given = IsBf16(p) ? static_cast<const void*>(bf16_[p].data()) : values_[p].data();
    const bool is_null = IsGivenAsNull(case_, static_cast<int>(p), step, GlobalMicroBatch(case_, rank_, micro_batch));
    pointers_[p] = is_null ? nullptr : given;
  }
  SealNow();
}

/// Each seal stops the threads of the process for a moment, and who writes to gradients does so in each micro-batch.
void CaseInputs::SealNow() {
  if (micro_batch_ == step_ % experiment_.micro_batches) micro_batch_pages_.Seal();
}

void CaseInputs::ForgetGradients() {
  if (!poison_) return;
  micro_batch_pages_.Open();
  FillWithNan(values_);
  for (size_t p = 0; p < values_.size(); ++p) Narrow(p);
}

}  // namespace zerocts

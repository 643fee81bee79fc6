// What one rank feeds to its subject: initial values, gradients of each micro-batch or batches of text, hashed on the way.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/case.hpp"
#include "conformance/cases/input_hash.hpp"
#include "reference/experiment/data.hpp"
#include "reference/model/model.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {

class CaseInputs {
 public:
  CaseInputs(const Case& c, int rank);

  /// [parameters], each [numel] fp32. Gone after ForgetInitial.
  const std::vector<std::vector<float>>& initial() const { return initial_; }
  /// Others, 1 - x / 2 for each x: what a fresh engine is opened with before it loads a checkpoint.
  std::vector<std::vector<float>> OtherInitial() const;
  /// The subject had to copy them; with poisoned memory they become NaN.
  void ForgetInitial();

  // Gradients of one micro-batch stand until the next Forget.
  void GiveGradients(int64_t step, int micro_batch);
  /// The batch for subjects that compute the model.
  const Batch& GiveBatch(int64_t step, int micro_batch);
  /// Runs the reference's model on the batch and the subject's parameters (fp32 or widened bf16). Returns the loss.
  double ComputeGradients(int64_t step, int micro_batch, const std::vector<std::vector<float>>& parameters);
  /// [parameters], each [numel] of the parameter's dtype, or null.
  const std::vector<const void*>& gradients() const { return pointers_; }
  void ForgetGradients();

  std::string Hash() const { return hasher_.Hex(); }

 private:
  int64_t GlobalMicroBatch(int micro_batch) const { return int64_t{rank_} * experiment_.micro_batches + micro_batch; }
  bool IsBf16(size_t p) const { return PrecisionOf(experiment_, static_cast<int>(p)) == Precision::kBf16; }
  void Narrow();                                 // values_ to bf16_ where the parameter is bf16
  void Publish(int64_t step, int micro_batch);   // what the subject reads

  const Case& case_;
  const Experiment& experiment_;
  int rank_;
  bool poison_;
  InputHasher hasher_;
  std::vector<std::vector<float>> initial_, values_;
  std::vector<std::vector<Bf16>> bf16_;  // empty where the parameter is fp32
  std::vector<const void*> pointers_;
  std::shared_ptr<const TextCorpus> text_;
  std::unique_ptr<Model> model_;
  Batch batch_;
};

}  // namespace zerocts

// What one rank feeds to its subject: initial values, gradients of each micro-batch or batches of text, hashed on the
// way, each once. It is const to the subject, and stands on pages that are sealed while the subject has
// it: gradients in one micro-batch of each step.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/host/memory/const_pages.hpp"
#include "reference/experiment/data.hpp"
#include "reference/model/model.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {

class CaseInputs {
 public:
  /// The elements of one tensor per parameter. The subject reads them.
  using Tensors = std::vector<std::span<float>>;

  CaseInputs(const Case& c, int rank, RankPage& page);

  /// [parameters], each [numel] fp32. Gone after ForgetInitial.
  const Tensors& initial() const { return initial_; }
  /// Others, 1 - x / 2 for each x: what a fresh engine is opened with before it loads a checkpoint.
  const Tensors& OtherInitial();
  /// The subject had to copy them; with poisoned memory they become NaN.
  void ForgetInitial();

  // Gradients of one micro-batch stand until the next Forget.
  /// Fills the gradients in; those of a quadratic loss not before CurveGradient, and they are NaN until then.
  void GiveGradients(int64_t step, int micro_batch);
  /// Fills in the gradient of a quadratic loss where a parameter had these values, [numel] fp32, in forward and in
  /// backward.
  void CurveGradient(int parameter, std::span<const float> forward, std::span<const float> backward);
  /// The batch for subjects that compute the model.
  void GiveBatch(int64_t step, int micro_batch);
  const int32_t* tokens() const { return tokens_.data(); }
  const int32_t* targets() const { return targets_.data(); }
  /// Runs the reference's model on the batch and the subject's parameters (fp32 or widened bf16). Returns the loss.
  double ComputeGradients(int64_t step, int micro_batch, const std::vector<std::vector<float>>& parameters);
  /// [parameters], each [numel] of the parameter's dtype, or null.
  std::span<const void* const> gradients() const { return pointers_; }
  void ForgetGradients();

  std::string Hash() const { return hasher_.Hex(); }

 private:
  bool IsBf16(size_t p) const { return PrecisionOf(experiment_, static_cast<int>(p)) == Precision::kBf16; }
  std::span<float> TakeInitialValues(size_t p);
  Batch HashedBatch(int64_t step, int micro_batch);
  bool IsFirstTime(int64_t step, int micro_batch);
  void Narrow(size_t p);                        // values_ to bf16_ where the parameter is bf16
  void Publish(int64_t step, int micro_batch);  // what the subject reads
  void SealNow();                               // in one micro-batch of each step

  const Case& case_;
  const Experiment& experiment_;
  int rank_;
  bool poison_;
  InputHasher hasher_;
  ConstPages initial_pages_, micro_batch_pages_;
  Tensors initial_, other_initial_, values_;
  std::vector<std::span<Bf16>> bf16_;  // empty where the parameter is fp32
  std::span<const void*> pointers_;
  std::vector<std::vector<float>> linear_;  // of a quadratic loss: the part that does not depend on parameters
  int64_t step_ = 0;
  int micro_batch_ = 0;
  int64_t given_ = 0;  // micro-batches of all steps
  std::span<int32_t> tokens_, targets_;
  std::shared_ptr<const TextCorpus> text_;
  std::unique_ptr<Model> model_;
};

}  // namespace zerocts

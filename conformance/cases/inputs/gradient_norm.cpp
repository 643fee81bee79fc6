#include "conformance/cases/inputs/gradient_norm.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "reference/experiment/data.hpp"
#include "reference/experiment/given_loss.hpp"
#include "reference/experiment/micro_batch_gradient.hpp"
#include "reference/model/model.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {
namespace {

/// Gradients of the micro-batches of one step, [W * K][total], all parameters end to end.
class StepGradients {
 public:
  StepGradients(const Experiment& e, int64_t step)
      : e_(e),
        step_(step),
        offsets_(FlatOffsets(e)),
        leaves_(static_cast<size_t>(e.world_size) * e.micro_batches, std::vector<float>(offsets_.back())) {}

  /// With a curvature those at the initial parameters.
  void FillGiven() {
    const bool curved = e_.curvature != 0;
    const std::vector<std::vector<float>> parameters = curved ? InitialParameters() : std::vector<std::vector<float>>();
    ForEach([&](int64_t g, float* gradient) {
      for (int p = 0; p < std::ssize(e_.parameters); ++p) {
        float* own = gradient + offsets_[p];
        FillGradient(e_, step_, g, p, own);
        if (curved) AddCurvature(e_, p, parameters[p].data(), parameters[p].data(), own);
      }
    });
  }

  /// The gradients of the model at its initial parameters.
  void FillByModel() {
    const std::vector<std::vector<float>> parameters = InitialParameters();
    std::vector<const float*> values;
    for (const std::vector<float>& parameter : parameters) values.push_back(parameter.data());
    const std::shared_ptr<const TextCorpus> text = TextCorpus::SharedFor(e_);
    Model model(*e_.model, e_.precision, HostOps());
    ForEach([&](int64_t g, float* gradient) {
      std::vector<float*> out;
      for (size_t p = 0; p < values.size(); ++p) out.push_back(gradient + offsets_[p]);
      const Batch batch = MakeBatch(e_, *text, step_, g);
      model.ForwardBackward(values, out, batch.inputs.data(), batch.targets.data(), e_.batch, 1.0f,
                            ExpertOfMicroBatch(e_, g));
    });
  }

  float NormOfMean() const {
    Ops& ops = HostOps();
    std::vector<float> mean(offsets_.back());
    std::vector<const float*> pointers;
    for (const std::vector<float>& leaf : leaves_) pointers.push_back(leaf.data());
    ops.FoldLeaves(mean.data(), RankFold(e_.world_size, e_.micro_batches), pointers, static_cast<float>(leaves_.size()),
                   std::ssize(mean));
    GradientNorm norm(e_.clip_norm);
    norm.Add(ops, mean.data(), std::ssize(mean));
    return norm.Norm();
  }

 private:
  std::vector<std::vector<float>> InitialParameters() const {
    std::vector<std::vector<float>> parameters;
    for (int p = 0; p < static_cast<int>(e_.parameters.size()); ++p) {
      std::vector<float>& values = parameters.emplace_back(InitialValuesOf(e_, e_.roles.OwnerOf(p)));
      if (PrecisionOf(e_, p) == Precision::kBf16) HostOps().RoundToBf16(values.data(), std::ssize(values));
    }
    return parameters;
  }

  template <typename Fill>
  void ForEach(Fill fill) {
    for (size_t g = 0; g < leaves_.size(); ++g) {
      fill(static_cast<int64_t>(g), leaves_[g].data());
      FinishMicroBatch(e_, offsets_, step_, static_cast<int64_t>(g), 1.0f, HostOps(), leaves_[g].data());
    }
  }

  const Experiment& e_;
  const int64_t step_;
  const std::vector<int64_t> offsets_;
  std::vector<std::vector<float>> leaves_;
};

float ComputedNorm(const Experiment& experiment, int64_t step) {
  StepGradients gradients(experiment, step);
  if (experiment.gradients == GradientSource::kModel) {
    gradients.FillByModel();
  } else {
    gradients.FillGiven();
  }
  return gradients.NormOfMean();
}

/// The experiment without what is decided by the norm.
Experiment Unclipped(Experiment experiment) {
  static const Experiment usual;
  experiment.max_norm = usual.max_norm;
  experiment.clip_epsilon = usual.clip_epsilon;
  experiment.clip_formula = usual.clip_formula;
  return experiment;
}

/// The norms of the last experiments. A case is drawn several times, to plan, to run and to count, and each time it is
/// asked what it has.
class LastNorms {
 public:
  std::optional<float> Find(const Experiment& experiment, int64_t step) {
    const std::lock_guard lock(mutex_);
    for (const Known& known : known_) {
      const bool may_be = known.step == step && known.unclipped.seed == experiment.seed;
      if (may_be && known.unclipped == Unclipped(experiment)) return known.norm;
    }
    return std::nullopt;
  }

  void Keep(const Experiment& experiment, int64_t step, float norm) {
    const std::lock_guard lock(mutex_);
    if (known_.size() == kKept) known_.pop_back();
    known_.push_front({Unclipped(experiment), step, norm});
  }

 private:
  static constexpr size_t kKept = 256;

  struct Known {
    Experiment unclipped;
    int64_t step;
    float norm;
  };

  std::mutex mutex_;
  std::deque<Known> known_;  // the last one first
};

}  // namespace

int64_t StepsOfKnownNorm(const Experiment& experiment) {
  const bool depends = experiment.gradients == GradientSource::kModel || experiment.curvature != 0;
  return depends ? 1 : experiment.steps;
}

float KnownGradientNorm(const Experiment& experiment, int64_t step) {
  static LastNorms last;
  if (const std::optional<float> norm = last.Find(experiment, step)) return *norm;
  const float norm = ComputedNorm(experiment, step);
  last.Keep(experiment, step, norm);
  return norm;
}

}  // namespace zerocts

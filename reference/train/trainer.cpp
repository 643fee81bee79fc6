#include "reference/train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "reference/experiment/given_loss.hpp"
#include "reference/experiment/micro_batch_gradient.hpp"
#include "reference/model/model.hpp"
#include "reference/optim/muon.hpp"

namespace zerocts {
namespace {

/// The same order, where of each parameter only the micro-batches of ranks that have it are added. The ranges of
/// `order` tile the elements. Throws std::invalid_argument for a range that adds none of them.
ReductionOrder OfPresentRanks(const Experiment& e, ReductionOrder order) {
  if (e.experts.count == 1) return order;
  const std::vector<int64_t> offsets = FlatOffsets(e);
  ReductionOrder present{.ranges = {}, .sync = order.sync};
  for (const OrderedRange& range : order.ranges) {
    for (int p = 0; p < std::ssize(e.parameters); ++p) {
      const int64_t begin = std::max(range.begin, offsets[p]), end = std::min(range.end, offsets[p + 1]);
      if (begin >= end) continue;
      const auto fold = OfPresentLeaves(range.fold, [&](int g) { return e.experts.Has(g / e.micro_batches, p); });
      if (!fold) {
        throw std::invalid_argument("reduction order: expected a micro-batch of a rank that has " +
                                    e.parameters[p].name + ", got " + ToString(range.fold));
      }
      present.ranges.push_back({begin, end, *fold});
    }
  }
  return present;
}

using Tensors = std::vector<std::vector<float>>;

void CheckLeaves(const Fold& fold, int64_t count) {
  if (fold.children.empty() && (fold.leaf < 0 || fold.leaf >= count)) {
    throw std::invalid_argument("reduction order: expected leaves from 0 to " + std::to_string(count - 1) + ", got " +
                                std::to_string(fold.leaf));
  }
  for (const Fold& child : fold.children) CheckLeaves(child, count);
}

void CheckOrder(const ReductionOrder& order, int64_t total, int64_t leaves) {
  int64_t end = 0;
  for (const OrderedRange& range : order.ranges) {
    if (range.begin != end || range.end < range.begin) {
      throw std::invalid_argument("reduction order: expected a range from element " + std::to_string(end) +
                                  " on, got [" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")");
    }
    end = range.end;
    CheckLeaves(range.fold, leaves);
  }
  if (end != total) {
    throw std::invalid_argument("reduction order: expected ranges up to element " + std::to_string(total) + ", got " +
                                std::to_string(end));
  }
}

Rounding RoundingTo(Precision precision) { return precision == Precision::kBf16 ? Rounding::kBf16 : Rounding::kFp32; }

}  // namespace

double StepTrace::mean_loss() const {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

struct Trainer::State {
  State(const Experiment& e, ReductionOrder reduction_order, Ops& tensor_ops);
  void AddInOrder(ReductionOrder reduction_order);
  void GoOnWith(int world_size, ReductionOrder reduction_order);
  StepTrace Step(Keep keep);

  void ComputeGradients(StepTrace& trace);
  void AddGradients();
  float DivisorOf(const OrderedRange& range) const;
  void ReduceGradients();
  void ClipGradients(StepTrace& trace);
  void UpdateParameters(float clip);
  void UpdateComputeParameter(size_t p);
  void KeepTensors(StepTrace& trace) const;
  bool AddsNothing() const {
    return micro_batches == 1 &&
           std::ranges::all_of(order.ranges, [](const OrderedRange& r) { return r.fold.leaf == 0; });
  }
  bool ComputesOnMasters() const {
    return NarrowestPrecision(experiment) == Precision::kFp32 && experiment.roles.tied.empty();
  }
  const Tensors& ComputeParameters() const { return ComputesOnMasters() ? master : parameter; }

  Experiment experiment;
  ReductionOrder order;
  Ops& ops;

  int64_t micro_batches;                   // W * K
  const std::vector<int64_t> offsets;      // of each parameter in the concatenation; the total at the end
  std::shared_ptr<const TextCorpus> text;  // kModel
  std::optional<Model> model;              // kModel

  int64_t step = 0;
  LossScaleState loss_scale;
  std::vector<BetaProducts> products;  // of each parameter
  Tensors master, moment1, moment2;    // of each parameter
  Tensors parameter;                   // compute parameters, unless they are the masters
  Tensors gradients;                   // [W * K][total], one micro-batch each
  std::vector<float> mean_gradient;    // [total]
};

Trainer::State::State(const Experiment& e, ReductionOrder reduction_order, Ops& tensor_ops)
    : experiment(e),
      ops(tensor_ops),
      micro_batches(int64_t{e.world_size} * e.micro_batches),
      offsets(FlatOffsets(e)),
      loss_scale(InitialLossScale(e.loss_scaling)),
      products(e.parameters.size()),
      gradients(micro_batches, std::vector<float>(offsets.back())),
      mean_gradient(offsets.back()) {
  AddInOrder(std::move(reduction_order));
  if (e.gradients == GradientSource::kModel) {
    text = TextCorpus::SharedFor(e);
    model.emplace(*e.model, e.precision, ops);
  }
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const size_t owner = e.roles.OwnerOf(p);
    master.push_back(owner == p ? InitialValuesOf(e, p) : std::vector<float>());
    parameter.emplace_back();
    UpdateComputeParameter(p);
    const size_t numel = e.roles.HasState(p) ? master[p].size() : 0;
    moment1.emplace_back(numel);
    moment2.emplace_back(HasSecondMoments(e.optimizer) ? numel : 0);
  }
}

void Trainer::State::AddInOrder(ReductionOrder reduction_order) {
  const Experiment& e = experiment;
  CheckOrder(reduction_order, offsets.back(), micro_batches);
  order = OfPresentRanks(e, std::move(reduction_order));
  if (e.accumulation != Precision::kBf16 && e.reduction != Precision::kBf16) return;
  for (OrderedRange& range : order.ranges) {
    range.fold =
        SumsKeptIn(RoundingTo(e.accumulation), RoundingTo(e.reduction), range.fold, e.micro_batches, order.sync);
  }
}

void Trainer::State::GoOnWith(int world_size, ReductionOrder reduction_order) {
  experiment.world_size = world_size;
  micro_batches = int64_t{world_size} * experiment.micro_batches;
  gradients.resize(micro_batches, std::vector<float>(offsets.back()));
  AddInOrder(std::move(reduction_order));
}

StepTrace Trainer::State::Step(Keep keep) {
  StepTrace trace;
  trace.step = step;
  trace.loss_scale = loss_scale.scale;
  ComputeGradients(trace);
  ReduceGradients();
  ClipGradients(trace);
  if (!trace.skipped) UpdateParameters(trace.clip_coefficient);
  loss_scale = NextLossScale(experiment.loss_scaling, loss_scale, trace.skipped);
  if (keep == Keep::kTensors) KeepTensors(trace);
  ++step;
  return trace;
}

void Trainer::State::KeepTensors(StepTrace& trace) const {
  for (size_t p = 0; p + 1 < offsets.size(); ++p) {
    std::vector<float>& gradient = trace.gradient.emplace_back();
    if (!IsUpdated(experiment, p, step)) continue;
    gradient.assign(mean_gradient.begin() + offsets[p], mean_gradient.begin() + offsets[p + 1]);
  }
  trace.master = master;
  trace.moment1 = moment1;
  trace.moment2 = moment2;
  trace.parameter = ComputeParameters();
}

/// gradients[g] = d loss / d parameters on micro-batch g alone.
void Trainer::State::ComputeGradients(StepTrace& trace) {
  const size_t count = experiment.parameters.size();
  for (int64_t g = 0; g < micro_batches; ++g) {
    if (!model) {
      for (size_t p = 0; p < count; ++p) {
        const float* values = ComputeParameters()[p].data();
        FillGradient(experiment, step, g, p, gradients[g].data() + offsets[p]);
        AddCurvature(experiment, p, values, values, gradients[g].data() + offsets[p]);
      }
      FinishMicroBatch(experiment, offsets, step, g, loss_scale.scale, ops, gradients[g].data());
      continue;
    }
    std::vector<const float*> values;
    std::vector<float*> gradient;
    for (size_t p = 0; p < count; ++p) {
      values.push_back(ComputeParameters()[p].data());
      gradient.push_back(gradients[g].data() + offsets[p]);
    }
    const Batch batch = MakeBatch(experiment, *text, step, g);
    trace.losses.push_back(model->ForwardBackward(values, gradient, batch.inputs.data(), batch.targets.data(),
                                                  experiment.batch, loss_scale.scale,
                                                  ExpertOfMicroBatch(experiment, g)));
    FinishMicroBatch(experiment, offsets, step, g, loss_scale.scale, ops, gradients[g].data());
  }
}

/// What its sum is divided by for the mean. Where there are experts a range is of one parameter (OfPresentRanks).
float Trainer::State::DivisorOf(const OrderedRange& range) const {
  if (experiment.experts.count == 1) return DivisorOfMean(range.fold, micro_batches);
  const auto parameter = std::ranges::upper_bound(offsets, range.begin) - offsets.begin() - 1;
  return DivisorOfMean(range.fold, MicroBatchesOfMean(experiment, static_cast<int>(parameter)));
}

/// mean_gradient = (sum over g of gradients[g], added in the declared order) / (W * K), less what the order divided by.
void Trainer::State::AddGradients() {
  std::vector<const float*> leaves(micro_batches);
  for (const OrderedRange& range : order.ranges) {
    for (int64_t g = 0; g < micro_batches; ++g) leaves[g] = gradients[g].data() + range.begin;
    ops.FoldLeaves(mean_gradient.data() + range.begin, range.fold, leaves, DivisorOf(range), range.end - range.begin);
  }
}

void Trainer::State::ReduceGradients() {
  if (AddsNothing()) {
    mean_gradient.swap(gradients.front());  // the next step overwrites all of them
  } else {
    AddGradients();
  }
  const int64_t total = offsets.back();
  if (experiment.reduction == Precision::kBf16) ops.RoundToBf16(mean_gradient.data(), total);
  if (loss_scale.scale != 1.0f) ops.Scale(mean_gradient.data(), UnscaleFactor(loss_scale), total);
}

/// The norm over all parameters, by what the step multiplies every gradient, and whether it is taken at all. Every norm
/// is NaN exactly when a value is not finite.
void Trainer::State::ClipGradients(StepTrace& trace) {
  GradientNorm norm(experiment.clip_norm);
  norm.Add(ops, mean_gradient.data(), offsets.back());
  trace.grad_norm = norm.Norm();
  trace.skipped = SkipsOverflow(experiment.loss_scaling) && std::isnan(trace.grad_norm);
  trace.clip_coefficient =
      ClipCoefficient(experiment.clip_formula, trace.grad_norm, experiment.max_norm, experiment.clip_epsilon);
}

void Trainer::State::UpdateParameters(float clip) {
  const Optimizer optimizer(experiment.optimizer, experiment.formula);
  const std::vector<HyperParameters> groups = GroupsAtStep(experiment, step);
  for (size_t p = 0; p < experiment.parameters.size(); ++p) {
    if (IsUpdated(experiment, p, step)) {
      const HyperParameters& group = groups[experiment.parameters[p].group];
      products[p].Advance(group);
      const StatePointers state{master[p].data(), moment1[p].data(), moment2[p].data()};
      const float* gradient = mean_gradient.data() + offsets[p];
      if (optimizer.kind == OptimizerKind::kMuon) {
        const MatrixShape shape = MatrixShapeOf(experiment.parameters[p].shape);
        ApplyMuon(ops, optimizer, group, products[p], clip, state, gradient, shape);
      } else {
        ApplyStep(ops, optimizer, group, products[p], clip, state, gradient, offsets[p + 1] - offsets[p]);
      }
    }
    UpdateComputeParameter(p);
  }
}

/// From the master weights; a tied name sees what its owner, which comes first, sees.
void Trainer::State::UpdateComputeParameter(size_t p) {
  if (ComputesOnMasters()) return;
  const size_t owner = experiment.roles.OwnerOf(p);
  parameter[p] = owner == p ? master[p] : parameter[owner];
  if (owner == p && PrecisionOf(experiment, p) == Precision::kBf16)
    ops.RoundToBf16(parameter[p].data(), std::ssize(parameter[p]));
}

Trainer::Trainer(const Experiment& experiment, ReductionOrder order, Ops& ops) {
  const std::string problem = Problem(experiment);
  if (!problem.empty()) throw std::invalid_argument(problem);
  state_ = std::make_unique<State>(experiment, std::move(order), ops);
}

Trainer::~Trainer() = default;

const std::vector<std::vector<float>>& Trainer::parameters() const { return state_->ComputeParameters(); }
const std::vector<std::vector<float>>& Trainer::masters() const { return state_->master; }
void Trainer::AddInOrder(ReductionOrder order) { state_->AddInOrder(std::move(order)); }
void Trainer::GoOnWith(int world_size, ReductionOrder order) { state_->GoOnWith(world_size, std::move(order)); }
StepTrace Trainer::Step(Keep keep) { return state_->Step(keep); }

ReductionOrder UniformOrder(const Experiment& experiment, const Fold& fold, GradientSync sync) {
  return {{{0, TotalNumel(experiment), fold}}, sync};
}

std::vector<StepTrace> Train(const Experiment& experiment, const ReductionOrder& order, Ops& ops) {
  Trainer trainer(experiment, order, ops);
  std::vector<StepTrace> steps;
  for (int64_t step = 0; step < experiment.steps; ++step) steps.push_back(trainer.Step());
  return steps;
}

}  // namespace zerocts

#include "reference/train/trainer.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "reference/model/model.hpp"

namespace zerocts {
namespace {

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

/// What compute sees of the master weights.
std::vector<float> ComputeParameter(Ops& ops, Precision precision, const std::vector<float>& master) {
  std::vector<float> parameter = master;
  if (precision == Precision::kBf16) ops.RoundToBf16(parameter.data(), parameter.size());
  return parameter;
}

}  // namespace

double StepTrace::mean_loss() const {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

struct Trainer::State {
  State(const Experiment& e, ReductionOrder reduction_order, Ops& tensor_ops);
  StepTrace Step();

  void ComputeGradients(StepTrace& trace);
  void ReduceGradients(StepTrace& trace);
  void ClipGradients(StepTrace& trace);
  void UpdateParameters(StepTrace& trace);

  const Experiment experiment;
  const ReductionOrder order;
  Ops& ops;

  const int64_t micro_batches;         // W * K
  const std::vector<int64_t> offsets;  // of each parameter in the concatenation; the total at the end
  std::optional<TextCorpus> text;      // kModel
  std::optional<Model> model;          // kModel

  int64_t step = 0;
  std::vector<BetaProducts> products;  // of each group
  Tensors master, moment1, moment2;    // of each parameter
  Tensors parameter;                   // compute parameters
  Tensors gradients;                   // [W * K][total], one micro-batch each
  std::vector<float> mean_gradient;    // [total]
};

Trainer::State::State(const Experiment& e, ReductionOrder reduction_order, Ops& tensor_ops)
    : experiment(e),
      order(std::move(reduction_order)),
      ops(tensor_ops),
      micro_batches(int64_t{e.world_size} * e.micro_batches),
      offsets(FlatOffsets(e)),
      products(e.groups.size()),
      gradients(micro_batches, std::vector<float>(offsets.back())),
      mean_gradient(offsets.back()) {
  CheckOrder(order, offsets.back(), micro_batches);
  if (e.gradients == GradientSource::kModel) {
    text = TextCorpus::LoadFor(e);
    model.emplace(*e.model, e.precision, ops);
  }
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    master.push_back(InitialValuesOf(e, p));
    parameter.push_back(ComputeParameter(ops, e.precision, master[p]));
    moment1.emplace_back(master[p].size());
    moment2.emplace_back(MomentNames(e.optimizer).size() > 1 ? master[p].size() : 0);
  }
}

StepTrace Trainer::State::Step() {
  StepTrace trace;
  trace.step = step;
  ComputeGradients(trace);
  ReduceGradients(trace);
  ClipGradients(trace);
  UpdateParameters(trace);
  ++step;
  return trace;
}

/// gradients[g] = d loss / d parameters on micro-batch g alone.
void Trainer::State::ComputeGradients(StepTrace& trace) {
  const size_t count = experiment.parameters.size();
  for (int64_t g = 0; g < micro_batches; ++g) {
    if (!model) {
      for (size_t p = 0; p < count; ++p) FillGradient(experiment, step, g, p, gradients[g].data() + offsets[p]);
      continue;
    }
    std::vector<const float*> values;
    std::vector<float*> gradient;
    for (size_t p = 0; p < count; ++p) {
      values.push_back(parameter[p].data());
      gradient.push_back(gradients[g].data() + offsets[p]);
    }
    const Batch batch = MakeBatch(experiment, *text, step, g);
    trace.losses.push_back(
        model->ForwardBackward(values, gradient, batch.inputs.data(), batch.targets.data(), experiment.batch));
  }
}

/// mean_gradient = (sum over g of gradients[g], added in the declared order) / (W * K).
void Trainer::State::ReduceGradients(StepTrace& trace) {
  std::vector<const float*> leaves(micro_batches);
  for (const OrderedRange& range : order.ranges) {
    for (int64_t g = 0; g < micro_batches; ++g) leaves[g] = gradients[g].data() + range.begin;
    ops.FoldLeaves(mean_gradient.data() + range.begin, range.fold, leaves, static_cast<float>(micro_batches),
                   range.end - range.begin);
  }
  for (size_t p = 0; p + 1 < offsets.size(); ++p) {
    trace.gradient.emplace_back(mean_gradient.begin() + offsets[p], mean_gradient.begin() + offsets[p + 1]);
  }
}

/// The norm over all parameters, and by what the step multiplies every gradient.
void Trainer::State::ClipGradients(StepTrace& trace) {
  SumOfSquares squares;
  ops.AddSquares(&squares, mean_gradient.data(), mean_gradient.size());
  trace.grad_norm = squares.Norm();
  trace.clip_coefficient = ClipCoefficient(trace.grad_norm, experiment.max_norm, experiment.clip_epsilon);
}

void Trainer::State::UpdateParameters(StepTrace& trace) {
  const std::vector<HyperParameters> groups = GroupsAtStep(experiment, step);
  for (size_t group = 0; group < groups.size(); ++group) products[group].Advance(groups[group]);
  for (size_t p = 0; p < experiment.parameters.size(); ++p) {
    const int group = experiment.parameters[p].group;
    ApplyStep(ops, experiment.optimizer, groups[group], products[group], trace.clip_coefficient,
              {master[p].data(), moment1[p].data(), moment2[p].data()}, mean_gradient.data() + offsets[p],
              offsets[p + 1] - offsets[p]);
    parameter[p] = ComputeParameter(ops, experiment.precision, master[p]);
  }
  trace.master = master;
  trace.moment1 = moment1;
  trace.moment2 = moment2;
  trace.parameter = parameter;
}

Trainer::Trainer(const Experiment& experiment, ReductionOrder order, Ops& ops) {
  const std::string problem = Problem(experiment);
  if (!problem.empty()) throw std::invalid_argument(problem);
  state_ = std::make_unique<State>(experiment, std::move(order), ops);
}

Trainer::~Trainer() = default;

const std::vector<std::vector<float>>& Trainer::parameters() const { return state_->parameter; }
const std::vector<std::vector<float>>& Trainer::masters() const { return state_->master; }
StepTrace Trainer::Step() { return state_->Step(); }

ReductionOrder UniformOrder(const Experiment& experiment, const Fold& fold) {
  return {{{0, TotalNumel(experiment), fold}}};
}

std::vector<StepTrace> Train(const Experiment& experiment, const ReductionOrder& order, Ops& ops) {
  Trainer trainer(experiment, order, ops);
  std::vector<StepTrace> steps;
  for (int64_t step = 0; step < experiment.steps; ++step) steps.push_back(trainer.Step());
  return steps;
}

}  // namespace zerocts

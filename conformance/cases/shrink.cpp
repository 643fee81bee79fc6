// Simpler cases of a case. Every candidate is smaller in one thing and larger in none, so shrinking ends.
#include <algorithm>

#include "conformance/cases/case_space.hpp"
#include "conformance/cases/hyper_parameters.hpp"
#include "conformance/cases/role_edits.hpp"

namespace zerocts {
namespace {

class Shrinker {
 public:
  Shrinker(const Case& c, int min_world_size) : c_(c), e_(c.experiment), min_world_size_(min_world_size) {}

  std::vector<Case> Candidates() {
    FewerRanks();
    FewerSteps();
    FewerParameters();
    FewerMicroBatches();
    PlainMesh();
    EarlierCheckpoint();
    FewerRoles();
    PlainScalingAndSums();
    PlainMagnitude();
    SmallerShapes();
    SmallerModel();
    SimplerOptimizer();
    NoClipping();
    FewerChanges();
    FewerGroups();
    PlainArrangementAndReads();
    return std::move(candidates_);
  }

 private:
  /// Keeps the case that `change` makes of a copy, if it is another and makes sense. Exact inputs stay exact: the case
  /// may leave the order to the subject.
  template <typename Change>
  void Try(Change change) {
    Case candidate = c_;
    change(candidate, candidate.experiment);
    if (candidate == c_ || !MakesSense(candidate.experiment)) return;
    DropWhatDoesNotFit(candidate);
    const bool stays_exact = !IsExact(e_) || IsExact(candidate.experiment);
    if (stays_exact && Problem(candidate).empty()) candidates_.push_back(std::move(candidate));
  }

  /// Are there parameters for what is said of parameters?
  static bool MakesSense(const Experiment& e) { return !e.parameters.empty() && e.steps >= 1; }

  /// Without all items of a list, then without one of them. `list` is a path from the experiment.
  template <typename List>
  void TryFewer(List list) {
    Try([&](Case&, Experiment& e) { list(e).clear(); });
    const size_t count = list(e_).size();
    for (size_t i = 0; count > 1 && i < count; ++i) {
      Try([&](Case&, Experiment& e) { list(e).erase(list(e).begin() + static_cast<int64_t>(i)); });
    }
  }

  /// Smaller values of a number, the smallest first.
  static std::vector<int64_t> Below(int64_t value, int64_t smallest) {
    std::vector<int64_t> values;
    for (const int64_t smaller : {smallest, value / 2, value - 1}) {
      if (smaller >= smallest && smaller < value && (values.empty() || smaller > values.back())) {
        values.push_back(smaller);
      }
    }
    return values;
  }

  void FewerRanks() {
    for (const int64_t ranks : Below(e_.world_size, min_world_size_)) {
      Try([&](Case&, Experiment& e) { e.world_size = static_cast<int>(ranks); });
    }
  }

  void FewerSteps() {
    for (const int64_t steps : Below(e_.steps, 1)) {
      Try([&](Case& c, Experiment& e) {
        e.steps = steps;
        if (c.checkpoint) c.checkpoint->after_step = std::min(c.checkpoint->after_step, steps - 1);
        std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.step >= steps; });
      });
    }
  }

  void FewerParameters() {
    if (e_.model) return;
    const size_t count = e_.parameters.size();
    const auto keep = [&](size_t begin, size_t end) {
      Try([&](Case&, Experiment& e) {
        KeepParameters(e, [&](int p) { return static_cast<int>(begin) <= p && p < static_cast<int>(end); });
      });
    };
    if (count >= 4) {
      keep(0, count / 2);
      keep(count / 2, count);
    }
    for (size_t p = 0; p < count; ++p) {
      Try([&](Case&, Experiment& e) { KeepParameters(e, [&](int kept) { return kept != static_cast<int>(p); }); });
    }
  }

  void FewerMicroBatches() {
    for (const int64_t micro_batches : Below(e_.micro_batches, 1)) {
      Try([&](Case&, Experiment& e) { e.micro_batches = static_cast<int>(micro_batches); });
    }
  }

  void PlainMesh() {
    Try([](Case& c, Experiment&) { c.replicas = 1; });
    Try([](Case& c, Experiment&) { c.gradient_sync = GradientSync::kLast; });
    Try([](Case& c, Experiment&) { c.overlap = Overlap::kAny; });
    Try([](Case& c, Experiment&) { c.offload = Offload::kNone; });
  }

  void EarlierCheckpoint() {
    if (!c_.checkpoint) return;
    Try([](Case& c, Experiment&) { c.checkpoint.reset(); });
    if (c_.checkpoint->damage) {
      Try([](Case& c, Experiment&) { c.checkpoint->damage->file = 0; });
    }
    for (const int64_t ranks : Below(c_.checkpoint->other_world_size, min_world_size_)) {
      Try([&](Case& c, Experiment&) { c.checkpoint->other_world_size = static_cast<int>(ranks); });
    }
    for (const int64_t step : Below(c_.checkpoint->after_step, 0)) {
      Try([&](Case& c, Experiment&) { c.checkpoint->after_step = step; });
    }
  }

  void FewerRoles() {
    Try([](Case&, Experiment& e) { e.roles = {}; });
    TryFewer([](auto& e) -> auto& { return e.roles.missing; });
    TryFewer([](auto& e) -> auto& { return e.roles.without_gradient; });
    TryFewer([](auto& e) -> auto& { return e.roles.frozen; });
    TryFewer([](auto& e) -> auto& { return e.roles.tied; });
    TryFewer([](auto& e) -> auto& { return e.roles.buffers; });
    TryFewer([](auto& e) -> auto& { return e.roles.precisions; });
    Try([](Case& c, Experiment&) { c.missing_as_null = true; });
  }

  void PlainScalingAndSums() {
    Try([](Case&, Experiment& e) {
      e.loss_scaling = {};
      e.planted.clear();
    });
    TryFewer([](auto& e) -> auto& { return e.planted; });
    Try([](Case&, Experiment& e) {
      if (e.loss_scaling.kind != LossScaleKind::kNone) e.loss_scaling.kind = LossScaleKind::kStatic;
    });
    Try([](Case&, Experiment& e) { e.accumulation = Precision::kFp32; });
    Try([](Case&, Experiment& e) { e.reduction = Precision::kFp32; });
  }

  /// Numbers that are neither subnormal nor tiny nor huge.
  void PlainMagnitude() {
    const auto plain_exponents = [](Experiment& e) { e.gradient_exponent = e.initial_exponent = 0; };
    const auto plain_rates = [](Experiment& e) {
      constexpr float kLargest = 0x1p32f, kSmallest = 0x1p-32f;
      ForEachHyperParameters(e, [&](HyperParameters& h) {
        if (h.lr > 0 && (h.lr < kSmallest || h.lr > kLargest)) h.lr = 0x1p-6f;
        if (h.weight_decay > 0 && h.weight_decay < kSmallest) h.weight_decay = 0.125f;
      });
    };
    Try([&](Case&, Experiment& e) {
      plain_exponents(e);
      plain_rates(e);
    });
    Try([&](Case&, Experiment& e) { plain_exponents(e); });
    Try([&](Case&, Experiment& e) { plain_rates(e); });
    Try([](Case&, Experiment& e) { e.gradient_exponent = 0; });
    Try([](Case&, Experiment& e) { e.initial_exponent = 0; });
  }

  /// The shape of a parameter, with that of every name that is tied to it.
  template <typename Change>
  void TryShape(size_t p, Change change) {
    Try([&](Case&, Experiment& e) {
      const int owner = e.roles.OwnerOf(static_cast<int>(p));
      for (size_t name = 0; name < e.parameters.size(); ++name) {
        if (e.roles.OwnerOf(static_cast<int>(name)) == owner) change(e.parameters[name].shape);
      }
    });
  }

  void SmallerShapes() {
    if (e_.model) return;
    Try([](Case&, Experiment& e) {
      for (ParameterSpec& parameter : e.parameters) {
        for (int64_t& dimension : parameter.shape) dimension = (dimension + 1) / 2;
      }
    });
    for (size_t p = 0; p < e_.parameters.size(); ++p) {
      const ParameterSpec& parameter = e_.parameters[p];
      if (parameter.shape.size() > 1) {
        TryShape(p, [&](std::vector<int64_t>& shape) { shape = {parameter.numel()}; });
      }
      for (size_t d = 0; d < parameter.shape.size(); ++d) {
        const auto try_dimension = [&](int64_t dimension) {
          TryShape(p, [&](std::vector<int64_t>& shape) { shape[d] = dimension; });
        };
        for (const int64_t dimension : Below(parameter.shape[d], 1)) try_dimension(dimension);
        if (parameter.shape[d] > e_.world_size) {
          try_dimension(parameter.shape[d] - e_.world_size);  // what is left over W ranks stays
        }
      }
    }
  }

  void SmallerModel() {
    if (!e_.model) return;
    for (const int64_t batch : Below(e_.batch, 1)) {
      Try([&](Case&, Experiment& e) { e.batch = batch; });
    }
    std::visit([this](const auto& spec) { SmallerThan(spec); }, *e_.model);
  }

  void TryModel(const ModelSpec& model) {
    Try([&](Case&, Experiment& e) {
      e.model = model;
      if (Problem(model).empty()) e.parameters = ModelParameters(model);
    });
  }

  /// With one of its sizes smaller.
  template <typename Spec>
  void TrySmaller(const Spec& spec, std::initializer_list<int64_t Spec::*> sizes) {
    for (int64_t Spec::*size : sizes) {
      for (const int64_t smaller : Below(spec.*size, 1)) {
        Spec candidate = spec;
        candidate.*size = smaller;
        TryModel(candidate);
      }
    }
  }

  void SmallerThan(const MlpSpec& mlp) {
    for (size_t layer = 0; layer < mlp.hidden.size(); ++layer) {
      MlpSpec shallower = mlp;
      shallower.hidden.erase(shallower.hidden.begin() + layer);
      TryModel(shallower);
    }
    TrySmaller(mlp, {&MlpSpec::vocab, &MlpSpec::context, &MlpSpec::embedding});
    for (size_t layer = 0; layer < mlp.hidden.size(); ++layer) {
      for (const int64_t smaller : Below(mlp.hidden[layer], 1)) {
        MlpSpec narrower = mlp;
        narrower.hidden[layer] = smaller;
        TryModel(narrower);
      }
    }
  }

  void SmallerThan(const GptSpec& gpt) {
    TryModel(MlpSpec{.vocab = gpt.vocab, .context = gpt.context, .embedding = gpt.width, .hidden = {}});
    TrySmaller(gpt, {&GptSpec::layers, &GptSpec::heads, &GptSpec::vocab, &GptSpec::context, &GptSpec::width});
    GptSpec one_head_of_one = gpt;
    one_head_of_one.heads = one_head_of_one.width = 1;
    TryModel(one_head_of_one);
  }

  /// Applies `change` to the hyper-parameters of every group at every step.
  template <typename Change>
  void TryHyperParameters(Change change) {
    Try([&](Case&, Experiment& e) { ForEachHyperParameters(e, change); });
  }

  void SimplerOptimizer() {
    if (e_.optimizer != OptimizerKind::kSgd) {
      Try([](Case&, Experiment& e) { e.optimizer = OptimizerKind::kSgd; });
    }
    TryHyperParameters([](HyperParameters& h) { h.weight_decay = 0; });
    TryHyperParameters([](HyperParameters& h) { h.nesterov = false; });
    TryHyperParameters([](HyperParameters& h) { h.dampening = 0; });
    TryHyperParameters([](HyperParameters& h) {
      h.momentum = 0;
      h.nesterov = false;
    });
  }

  void NoClipping() {
    Try([](Case&, Experiment& e) { e.max_norm = 0; });
    Try([](Case&, Experiment& e) { e.clip_norm = NormKind::kTwo; });
    Try([](Case&, Experiment& e) { e.clip_formula = ClipFormula::kMin; });
  }

  void FewerChanges() {
    Try([](Case&, Experiment& e) { e.changes.clear(); });
    for (size_t i = 0; i < e_.changes.size(); ++i) {
      Try([&](Case&, Experiment& e) { e.changes.erase(e.changes.begin() + i); });
    }
  }

  /// Joins group `gone` into its neighbour.
  void FewerGroups() {
    if (e_.model) return;
    for (int gone = static_cast<int>(e_.groups.size()) - 1; gone >= 0 && e_.groups.size() > 1; --gone) {
      Try([&](Case&, Experiment& e) {
        const auto renumbered = [&](int group) {
          return group > gone || (group == gone && gone > 0) ? group - 1 : group;
        };
        e.groups.erase(e.groups.begin() + gone);
        for (ParameterSpec& parameter : e.parameters) parameter.group = renumbered(parameter.group);
        std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.group == gone; });
        for (HyperParameterChange& change : e.changes) change.group = renumbered(change.group);
      });
    }
  }

  void PlainArrangementAndReads() {
    Try([](Case& c, Experiment&) { c.bucket_cap_bytes = 0; });
    Try([](Case& c, Experiment&) { c.read_order = ReadOrder::kForward; });
    Try([](Case& c, Experiment&) { c.read_before_step = false; });
    Try([](Case& c, Experiment&) { c.read_twice = false; });
  }

  const Case& c_;
  const Experiment& e_;
  const int min_world_size_;
  std::vector<Case> candidates_;
};

}  // namespace

std::vector<Case> Shrink(const Case& c, int min_world_size) { return Shrinker(c, min_world_size).Candidates(); }

}  // namespace zerocts

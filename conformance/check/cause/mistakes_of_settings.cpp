#include <algorithm>
#include <cmath>
#include <functional>

#include "conformance/check/cause/mistakes.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts {
namespace {

using Change = std::function<HyperParameters(const HyperParameters& own, const HyperParameters& of_first)>;

/// The same with other hyper-parameters in every step.
template <typename ChangeAt>
Experiment WithGroupsAt(const Experiment& e, ChangeAt change) {
  Experiment changed = e;
  changed.changes.clear();
  for (int64_t step = 0; step < e.steps; ++step) {
    const std::vector<HyperParameters> groups = GroupsAtStep(e, step);
    for (int g = 0; g < std::ssize(groups); ++g) {
      const HyperParameters values = change(groups[g], groups[0], step);
      if (step == 0) changed.groups[g] = values;
      if (step > 0 && values != GroupsAtStep(changed, step)[g]) changed.changes.push_back({step, g, values});
    }
  }
  return changed;
}

Experiment WithGroups(const Experiment& e, const Change& change) {
  return WithGroupsAt(
      e, [&](const HyperParameters& own, const HyperParameters& first, int64_t) { return change(own, first); });
}

/// The update of one step times `by`; the decay stays.
HyperParameters WithUpdateTimes(double by, HyperParameters values) {
  values.lr = static_cast<float>(values.lr * by);
  values.weight_decay = static_cast<float>(values.weight_decay / by);
  return values;
}

/// Adam's with corrections of the step that follows, written as other learning rates and epsilons.
Experiment OneStepAhead(const Experiment& e) {
  return WithGroupsAt(e, [&](const HyperParameters& own, const HyperParameters&, int64_t step) {
    const double t = static_cast<double>(step) + 1;
    const double of_first = (1 - std::pow(own.beta1, t)) / (1 - std::pow(own.beta1, t + 1));
    const double of_second = std::sqrt((1 - std::pow(own.beta2, t + 1)) / (1 - std::pow(own.beta2, t)));
    HyperParameters values = WithUpdateTimes(of_first * of_second, own);
    values.eps = static_cast<float>(own.eps * of_second);
    return values;
  });
}

struct Field {
  std::string name;
  std::function<void(HyperParameters& to, const HyperParameters& from)> copy;
};

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = {
      {"learning rate", [](auto& to, const auto& from) { to.lr = from.lr; }},
      {"weight decay", [](auto& to, const auto& from) { to.weight_decay = from.weight_decay; }},
      {"momentum", [](auto& to, const auto& from) { to.momentum = from.momentum; }},
      {"betas", [](auto& to, const auto& from) { to.beta1 = from.beta1, to.beta2 = from.beta2; }},
      {"epsilon", [](auto& to, const auto& from) { to.eps = from.eps; }},
      {"dampening", [](auto& to, const auto& from) { to.dampening = from.dampening; }},
      {"Nesterov momentum", [](auto& to, const auto& from) { to.nesterov = from.nesterov; }},
  };
  return fields;
}

/// What torch.optim begins with.
HyperParameters DefaultsOf(OptimizerKind kind) {
  HyperParameters defaults;
  if (kind == OptimizerKind::kAdamW) defaults.weight_decay = 0.01f;
  return defaults;
}

class Settings {
 public:
  Settings(const Experiment& experiment, const ReductionOrder& order, const std::vector<float>& clipped_by)
      : e_(experiment), order_(order), clipped_by_(clipped_by) {}

  std::vector<Mistake> Take() {
    OfOtherSteps();
    OfGroups();
    OfDefaults();
    OfFormula();
    OfClipping();
    return std::move(mistakes_);
  }

 private:
  void Add(const std::string& text, Experiment mistaken) {
    if (mistaken != e_) mistakes_.push_back({text, std::move(mistaken), order_});
  }

  template <typename Edit>
  void Try(const std::string& text, Edit edit) {
    Experiment mistaken = e_;
    edit(mistaken);
    Add(text, std::move(mistaken));
  }

  void OfOtherSteps() {
    Try("changes of hyper-parameters never took effect", [](Experiment& e) { e.changes.clear(); });
    Try("changes of the learning rate never took effect", [](Experiment& e) {
      for (HyperParameterChange& change : e.changes) change.values.lr = e.groups[change.group].lr;
    });
    Try("changes of hyper-parameters took effect one step late", [](Experiment& e) {
      for (HyperParameterChange& change : e.changes) ++change.step;
      std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.step >= e.steps; });
    });
    Try("only changes of group 0 took effect", [](Experiment& e) {
      std::erase_if(e.changes, [](const HyperParameterChange& change) { return change.group != 0; });
    });
  }

  void OfGroups() {
    Try("all groups used the hyper-parameters of group 0", [](Experiment& e) {
      for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
    });
    const auto all_but_lr = [](HyperParameters own, HyperParameters first) {
      first.lr = own.lr;
      return first;
    };
    Add("all groups used the hyper-parameters of group 0, but for the learning rate", WithGroups(e_, all_but_lr));
    for (const Field& field : Fields()) {
      Add("all groups used the " + field.name + " of group 0",
          WithGroups(e_, [&](HyperParameters own, const HyperParameters& first) {
            field.copy(own, first);
            return own;
          }));
    }
  }

  void OfDefaults() {
    const HyperParameters defaults = DefaultsOf(e_.optimizer);
    Add("the optimizer used its default hyper-parameters, but for the learning rate",
        WithGroups(e_, [&](const HyperParameters& own, const HyperParameters&) {
          HyperParameters values = defaults;
          values.lr = own.lr;
          return values;
        }));
    const bool decays = defaults.weight_decay != 0;
    for (const Field& field : Fields()) {
      const bool is_none = field.name == "momentum" || (field.name == "weight decay" && !decays);  // see below
      if (field.name == "learning rate" || is_none) continue;
      Add("the optimizer used its default " + field.name,
          WithGroups(e_, [&](HyperParameters own, const HyperParameters&) {
            field.copy(own, defaults);
            return own;
          }));
    }
    Add("there was no weight decay", WithGroups(e_, [](HyperParameters own, const HyperParameters&) {
          own.weight_decay = 0;
          return own;
        }));
    Add("there was no momentum", WithGroups(e_, [](HyperParameters own, const HyperParameters&) {
          own.momentum = own.beta1 = 0;
          return own;
        }));
  }

  void OfMomentum() {
    if (e_.optimizer == OptimizerKind::kSgd) {
      Add("the momentum was dampened by itself", WithGroups(e_, [](HyperParameters own, const HyperParameters&) {
            own.dampening = own.momentum;
            return own;
          }));
    }
    Add("the momentum was Nesterov's, or was not", WithGroups(e_, [](HyperParameters own, const HyperParameters&) {
          own.nesterov = !own.nesterov;
          return own;
        }));
  }

  void OfFormula() {
    if (e_.optimizer == OptimizerKind::kSgd || e_.optimizer == OptimizerKind::kMuon) return OfMomentum();
    const bool is_adam = e_.optimizer == OptimizerKind::kAdam;
    Try(is_adam ? "the update was AdamW's" : "the update was Adam's, with the decay in the gradient",
        [&](Experiment& e) {
          e.optimizer = is_adam ? OptimizerKind::kAdamW : OptimizerKind::kAdam;
          e.formula = TorchFormula(e.optimizer);
        });
    OfDecayAndCorrection();
  }

  void OfDecayAndCorrection() {
    using Position = EpsilonPosition;
    for (const auto& [text, epsilon] :
         {std::pair("epsilon was added inside of the square root", Position::kInside),
          std::pair("epsilon was added inside of the square root, before the bias "
                    "correction",
                    Position::kInsideUncorrected),
          std::pair("epsilon was added before the bias correction", Position::kOutsideUncorrected),
          std::pair("epsilon was added outside of the square root", Position::kOutside)})
      Try(text, [&](Experiment& e) { e.formula.epsilon = epsilon; });
    for (const auto& [text, decay] : {std::pair("the weights decayed after the update", DecayPosition::kAfter),
                                      std::pair("the weights decayed before the update", DecayPosition::kBefore),
                                      std::pair("the weights decayed within the gradient", DecayPosition::kGradient)})
      Try(text, [&](Experiment& e) { e.formula.decay = decay; });
    Add("the bias correction was one step ahead", OneStepAhead(e_));
    Try("there was no bias correction", [](Experiment& e) { e.formula.bias_correction = BiasCorrection::kNone; });
    Try("the bias correction took the betas of this step for those of all steps",
        [](Experiment& e) { e.formula.beta_powers = BetaPowers::kCurrent; });
  }

  void OfClipping() {
    if (e_.max_norm == 0) return;
    Try("nothing was clipped", [](Experiment& e) { e.max_norm = 0; });
    const bool has_factor_of_step = e_.optimizer == OptimizerKind::kSgd;  // the learning rate stands for it
    if (has_factor_of_step)
      Add("the gradients were clipped twice",
          WithGroupsAt(e_, [&](const HyperParameters& own, const HyperParameters&, int64_t step) {
            return WithUpdateTimes(clipped_by_[static_cast<size_t>(step)], own);
          }));
    for (const NormKind norm : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity})
      Try("the gradients were clipped by their " + ToString(norm) + "-norm",
          [&](Experiment& e) { e.clip_norm = norm; });
  }

  const Experiment& e_;
  const ReductionOrder& order_;
  const std::vector<float>& clipped_by_;  // [steps]
  std::vector<Mistake> mistakes_;
};

}  // namespace

std::vector<Mistake> MistakesOfSettings(const Experiment& experiment, const ReductionOrder& order,
                                        const std::vector<float>& clipped_by) {
  return Settings(experiment, order, clipped_by).Take();
}

}  // namespace zerocts

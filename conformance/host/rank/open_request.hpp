// What a case asks a subject for, as the arguments of zerocts_subject.h: numbers are told by the dimensions of the
// case, texts and tables here, where the memory is that they stand in.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/capabilities/abi_codes.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/guarded_args.hpp"

namespace zerocts {

inline zerocts_group GroupValues(const HyperParameters& h) {
  zerocts_group group{};
  group.struct_size = sizeof(group);
  group.lr = h.lr;
  group.weight_decay = h.weight_decay;
  group.momentum = h.momentum;
  group.beta1 = h.beta1;
  group.beta2 = h.beta2;
  group.eps = h.eps;
  group.dampening = h.dampening;
  group.nesterov = h.nesterov;
  return group;
}

/// The arguments of open but for `deadline_ms`, with the memory that they point to, which is const to the
/// subject.
class OpenRequest {
 public:
  /// `initial` [parameters], each [numel], and `page` outlive the request. `model`: its JSON, or "" when gradients are
  /// given.
  OpenRequest(const Case& c, int rank, const zerocts_host& host, const std::vector<std::span<float>>& initial,
              const std::vector<std::pair<std::string, std::string>>& options, const std::string& model, RankPage& page)
      : pages_(page) {
    const Experiment& e = c.experiment;
    const std::vector<HyperParameters> groups = GroupsAtStep(e, 0);
    args->host = pages_.Copy(std::array{host}, "the host's table").data();
    args->rank = static_cast<uint32_t>(rank);
    for (const Dimension& dimension : Dimensions()) {
      if (dimension.form.tell) dimension.form.tell(c, *args.args());
    }
    args->reduction_order =
        pages_.CopyText(c.reduction_order == "probed" ? "any" : c.reduction_order, "the reduction order");
    args->plan = pages_.CopyText(c.plan, "the plan");
    args->n_parameters = static_cast<uint32_t>(e.parameters.size());
    args->parameters = Table(Parameters(e, initial), "the table of parameters");
    args->n_groups = static_cast<uint32_t>(groups.size());
    args->groups = Table(GroupsOf(groups), "the table of groups");
    args->n_options = static_cast<uint32_t>(options.size());
    args->options = Table(Options(options), "the table of options");
    args->model = model.empty() ? nullptr : pages_.CopyText(model, "the model");
    args->batch = model.empty() ? 0 : static_cast<uint32_t>(e.batch);
    if (e.loss_scaling.kind != LossScaleKind::kNone) {
      args->loss_scaling = pages_.Copy(std::array{ValuesOf(e.loss_scaling)}, "the loss scaling").data();
    }
    pages_.Seal();
  }
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;

  GuardedArgs<zerocts_open_args> args;

 private:
  static std::vector<zerocts_group> GroupsOf(const std::vector<HyperParameters>& values) {
    std::vector<zerocts_group> groups;
    std::transform(values.begin(), values.end(), std::back_inserter(groups), GroupValues);
    return groups;
  }

  static zerocts_loss_scaling ValuesOf(const LossScaling& s) {
    zerocts_loss_scaling scaling{};
    scaling.struct_size = sizeof(scaling);
    scaling.kind = s.kind == LossScaleKind::kDynamic ? ZEROCTS_LOSS_SCALE_DYNAMIC : ZEROCTS_LOSS_SCALE_STATIC;
    scaling.scale = s.scale;
    scaling.growth_factor = s.growth_factor;
    scaling.backoff_factor = s.backoff_factor;
    scaling.minimum = s.minimum;
    scaling.renew_hysteresis = s.renew_hysteresis;
    scaling.growth_interval = s.growth_interval;
    scaling.hysteresis = s.hysteresis;
    return scaling;
  }

  std::vector<zerocts_parameter> Parameters(const Experiment& e, const std::vector<std::span<float>>& initial) {
    std::vector<zerocts_parameter> parameters;
    for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
      const ParameterSpec& spec = e.parameters[static_cast<size_t>(p)];
      const int owner = e.roles.OwnerOf(p);
      zerocts_parameter& parameter = parameters.emplace_back();
      parameter.struct_size = sizeof(parameter);
      parameter.name = pages_.CopyText(spec.name, fmt::format("the name of parameter {}", p));
      parameter.group = static_cast<uint32_t>(spec.group);
      parameter.ndim = static_cast<uint32_t>(spec.shape.size());
      parameter.shape = pages_.Copy(spec.shape, fmt::format("the shape of parameter {}", p)).data();
      parameter.numel = spec.numel();
      parameter.initial = initial[static_cast<size_t>(p)].data();
      const Precision precision = PrecisionOf(e, p);
      parameter.dtype = precision == e.precision ? 0 : CodeOf(precision);
      parameter.flags = e.roles.IsBuffer(p) ? ZEROCTS_PARAMETER_BUFFER : 0;
      parameter.tied_to = owner == p ? 0 : static_cast<uint32_t>(owner) + 1;
      parameter.expert = static_cast<uint32_t>(e.experts.ExpertOf(p) + 1);
    }
    return parameters;
  }
  std::vector<zerocts_option> Options(const std::vector<std::pair<std::string, std::string>>& options) {
    std::vector<zerocts_option> table;
    for (const auto& [key, value] : options) {
      table.push_back({sizeof(zerocts_option), pages_.CopyText(key, "the key of an option"),
                       pages_.CopyText(value, "the value of an option")});
    }
    return table;
  }
  /// Copies `structs` and returns an array of pointers to the copies.
  template <typename Struct>
  const Struct* const* Table(const std::vector<Struct>& structs, const char* what) {
    std::vector<const Struct*> pointers;
    for (const Struct& s : pages_.Copy(structs, what)) pointers.push_back(&s);
    return pages_.Copy(pointers, what).data();
  }

  ConstPages pages_;
};

}  // namespace zerocts

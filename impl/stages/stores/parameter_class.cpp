#include "impl/stages/stores/parameter_class.hpp"

#include <utility>

namespace zerocts::engine {

Stores::Stores(const RankContext& context)
    : buffers(context),
      parameters(context.arrangement.sharding.parameters ? MakeShardedParameters(context)
                                                         : MakeReplicatedParameters(context)),
      gradients(context, PlanGradients(context.settings, context.arrangement)),
      optimizer(context, *parameters),
      norm(context) {
  if (!context.settings.model) given.emplace(context);
}

ParameterClass::ParameterClass(const EngineSettings& settings, Arrangement arranged, Groups its_groups, Device& device,
                               Streams& streams, Timeline& timeline, MemoryLedger& ledger)
    : arrangement(std::move(arranged)),
      own_settings(OwnSettings(settings, arrangement.parts)),
      groups(its_groups),
      context{own_settings, arrangement, groups, device, streams, timeline, ledger},
      stores(context) {}

}  // namespace zerocts::engine

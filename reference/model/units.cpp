#include "reference/model/units.hpp"

namespace zerocts {
namespace {

struct MakeUnits {
  Precision precision;
  Units operator()(const MlpSpec& spec) const { return MlpUnits(spec, precision); }
  Units operator()(const GptSpec& spec) const { return GptUnits(spec, precision); }
};

}  // namespace

Units UnitsOf(const ModelSpec& spec, Precision precision) { return std::visit(MakeUnits{precision}, spec); }

}  // namespace zerocts

#include "impl/library/whole_state.hpp"

#include <algorithm>

#include "reference/numerics/bits.hpp"

namespace zerocts::library {
namespace {

/// True on exactly one of the ranks that own an element.
bool SpeaksForItsElements(const engine::EngineSettings& settings, const Communicator::Ends& ends) {
  const zerocts::Mesh mesh = HybridMesh(settings.replicas, ends.place.world_size / settings.replicas);
  const bool all_own_all = !engine::ShardingOf(settings.stage).optimizer;
  return mesh.Coordinate(ends.place.rank, "replicate") == 0 &&
         (!all_own_all || mesh.Coordinate(ends.place.rank, "shard") == 0);
}

}  // namespace

std::vector<std::string> StateNames(const engine::Engine& engine) {
  std::vector<std::string> names = MomentNames(engine.settings().optimizer.kind);
  names.insert(names.begin(), "master");
  return names;
}

/// Each element is one rank's bits among zeros of the others.
std::vector<float> WholeState(engine::Engine& engine, const Communicator::Ends& ends, const std::string& state,
                              int parameter) {
  std::vector<uint64_t> bits(engine.settings().parameters[parameter].spec.numel());
  const bool speaks = SpeaksForItsElements(engine.settings(), ends);
  for (const engine::ElementRange& range : engine.Owned(parameter)) {
    if (!speaks) break;
    std::vector<float> values(range.end - range.begin);
    engine.ReadState(state, parameter, range, values.data());
    std::ranges::transform(values, bits.begin() + range.begin, [](float value) { return uint64_t{Bits(value)}; });
  }
  engine.SumOverRanks(bits, "a state");
  std::vector<float> whole;
  for (const uint64_t word : bits) whole.push_back(FromBits(static_cast<uint32_t>(word)));
  return whole;
}

void WriteWholeState(engine::Engine& engine, const std::string& state, int parameter,
                     const std::vector<float>& values) {
  for (const engine::ElementRange& range : engine.Owned(parameter)) {
    engine.WriteState(state, parameter, range, values.data() + range.begin);
  }
}

}  // namespace zerocts::library

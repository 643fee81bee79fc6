// What an engine shows of its parameters and states, by elements of whole parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"
#include "impl/stages/engine/engine.hpp"

namespace zerocts::engine {

void Engine::ReadParameter(int parameter, void* host, int64_t bytes) {
  RequireParameter(parameter);
  const EngineParameter& asked = settings_.parameters[parameter];
  const int64_t expected = asked.spec.numel() * ElementBytes(asked.precision);
  if (bytes != expected) {
    throw std::invalid_argument(
        fmt::format("parameter {} has {} bytes, but {} were asked", parameter, expected, bytes));
  }
  RequireOnThisRank(parameter);
  const ParameterPart& part = ClassOf(parameter).arrangement.parts[parameter];
  if (settings_.tensor == 1 || part.replicated) return ReadOwn(parameter, host, bytes);
  std::vector<std::byte> own(part.numel() * ElementBytes(asked.precision));
  ReadOwn(parameter, own.data(), std::ssize(own));
  GatherParts(part, ElementBytes(asked.precision), own, {static_cast<std::byte*>(host), static_cast<size_t>(bytes)});
}

/// What this rank's layers have of it.
void Engine::ReadOwn(int parameter, void* host, int64_t bytes) {
  const EngineParameter& asked = settings_.parameters[parameter];
  if (asked.buffer) {
    CopyOut(host, dense().stores.buffers.Whole(parameter), bytes);
    return;
  }
  const int owner = asked.tied_to < 0 ? parameter : asked.tied_to;
  const ParameterClass& its_class = ClassOf(owner);
  ParameterStore& parameters = *its_class.stores.parameters;
  const int unit = its_class.arrangement.sharding_unit_of_parameter(owner);
  parameters.Unshard(unit);
  parameters.AwaitUnsharded(unit);
  CopyOut(host, parameters.Whole(owner), bytes);
  parameters.Reshard(unit);
}

/// Each tensor rank puts its elements at their offsets among zeros, and the ranks add their words: of each bit one rank
/// has what it is.
void Engine::GatherParts(const ParameterPart& part, int64_t element_bytes, std::span<const std::byte> own,
                         std::span<std::byte> whole) {
  std::vector<uint64_t> words((whole.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  CopyToWhole(part, element_bytes, own.data(), words.data());
  SumOverTensorRanks(words, "parts of a parameter");
  std::memcpy(whole.data(), words.data(), whole.size());
}

void Engine::CopyOut(void* host, const void* values, int64_t bytes) {
  device_.CopyToHost(host, values, bytes, *streams_.compute);
  streams_.compute->Synchronize();
}

/// In stage 0 every rank holds all of what is dense, and the first of an expert's ranks comes before any second one.
bool Engine::Counts(int parameter) const {
  const bool held_by_all = settings_.experts > 1 && settings_.stage == 0 && settings_.parameters[parameter].expert < 0;
  return ClassOf(parameter).arrangement.counts(parameter) && (!held_by_all || rank_ == 0);
}

std::vector<ElementRange> Engine::Owned(int parameter) const {
  RequireParameter(parameter);
  const Arrangement& arrangement = ClassOf(parameter).arrangement;
  std::vector<ElementRange> ranges;
  for (const OwnedPiece& piece : arrangement.owned) {
    if (piece.parameter != parameter) continue;
    for (const IndexRange& range : arrangement.parts[parameter].InWhole(piece.begin, piece.end)) {
      ranges.push_back({range.begin, range.end});
    }
  }
  return ranges;
}

OwnedRange Engine::OwnedRangeOf(int parameter, ElementRange range) const {
  RequireParameter(parameter);
  RequireOnThisRank(parameter);
  const Arrangement& arrangement = ClassOf(parameter).arrangement;
  const ParameterPart& part = arrangement.parts[parameter];
  const int64_t begin = part.OwnIndex(range.begin), end = begin + (range.end - range.begin);
  for (const OwnedPiece& piece : arrangement.owned) {
    const bool in_piece = piece.parameter == parameter && piece.begin <= begin && begin <= end && end <= piece.end;
    if (in_piece && part.InWhole(begin, end).size() <= 1) return {piece, begin, end};
  }
  throw std::invalid_argument(
      fmt::format("elements [{}, {}) of parameter {} are not owned by rank {}: ask for what `owned` says", range.begin,
                  range.end, parameter, rank_));
}

void Engine::ReadState(const std::string& state, int parameter, ElementRange range, float* host) {
  const auto [piece, begin, end] = OwnedRangeOf(parameter, range);
  const ParameterClass& its_class = ClassOf(parameter);
  DeviceStream& home = its_class.stores.parameters->home();
  const float* values = StateOf(state, piece) + (begin - piece.begin);
  HomeCopies(its_class.context).FromHome(host, values, (end - begin) * kFloatBytes, home);
  home.Synchronize();
}

const float* Engine::StateOf(const std::string& state, const OwnedPiece& piece) const {
  const ParameterClass& its_class = ClassOf(piece.parameter);
  if (state == "gradient") {
    if (synced_norm_ || position_.right_after_a_step()) return its_class.Mean(piece);
    throw std::invalid_argument(
        "the mean gradient of the last step stands from the end of that step to the next micro-batch: expected a read "
        "then");
  }
  if (const float* values = its_class.stores.optimizer.Find(state, piece)) return values;
  const OptimizerKind kind = settings_.optimizer.kind;
  throw std::invalid_argument(fmt::format("state {} is unknown: {} has master, gradient, {}", state, ToString(kind),
                                          fmt::join(MomentNames(kind), ", ")));
}

}  // namespace zerocts::engine

#include "impl/subject/saved_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace zerocts {
namespace {

constexpr const char* kBuffer = "buffer";

/// The states that a parameter has in a checkpoint.
std::vector<std::string> StatesOf(const EngineParameter& parameter, OptimizerKind optimizer) {
  if (parameter.buffer) return {kBuffer};
  if (!parameter.has_storage()) return {};
  std::vector<std::string> states = MomentNames(optimizer);
  states.insert(states.begin(), "master");
  return states;
}

Precision PrecisionInFile(const EngineParameter& parameter) {
  return parameter.buffer ? parameter.precision : Precision::kFp32;
}

std::vector<std::byte> BytesFor(int64_t numel, Precision precision) {
  return std::vector<std::byte>(static_cast<size_t>(numel * ElementBytes(precision)));
}

HeldTensor HeldState(Engine& engine, int p, const std::string& state, ElementRange range) {
  const auto read = [&engine, p, state, range] {
    std::vector<std::byte> values = BytesFor(range.end - range.begin, Precision::kFp32);
    engine.ReadState(state, p, range, reinterpret_cast<float*>(values.data()));
    return values;
  };
  return {{engine.settings().parameters[p].spec.name, state, range.begin, range.end}, Precision::kFp32, read};
}

HeldTensor HeldBuffer(Engine& engine, int p) {
  const EngineParameter& parameter = engine.settings().parameters[p];
  const int64_t numel = parameter.spec.numel();
  const auto read = [&engine, p, numel, precision = parameter.precision] {
    std::vector<std::byte> values = BytesFor(numel, precision);
    engine.ReadParameter(p, values.data(), std::ssize(values));
    return values;
  };
  return {{parameter.spec.name, kBuffer, 0, numel}, parameter.precision, read};
}

}  // namespace

std::string NameInFile(const TensorPlace& place) {
  return fmt::format("{}/{}/{}:{}", place.parameter, place.state, place.begin, place.end);
}

TensorPlace PlaceFromName(const std::string& name) {
  const size_t colon = name.rfind(':'), elements = name.rfind('/');
  const size_t state =
      elements == 0 || elements == std::string::npos ? std::string::npos : name.rfind('/', elements - 1);
  TensorPlace place;
  const auto integer = [&](size_t begin, size_t end, int64_t& out) {
    return std::from_chars(name.data() + begin, name.data() + end, out).ptr == name.data() + end && begin < end;
  };
  if (colon == std::string::npos || state == std::string::npos || colon < elements ||
      !integer(elements + 1, colon, place.begin) || !integer(colon + 1, name.size(), place.end)) {
    throw std::runtime_error(fmt::format("expected tensors called PARAMETER/STATE/BEGIN:END, got {}", name));
  }
  place.parameter = name.substr(0, state);
  place.state = name.substr(state + 1, elements - state - 1);
  return place;
}

Metadata MetadataOf(int64_t steps) { return {{"format", kCheckpointFormat}, {"steps", std::to_string(steps)}}; }

std::vector<HeldTensor> HeldTensors(Engine& engine, bool with_buffers) {
  std::vector<HeldTensor> held;
  const EngineSettings& settings = engine.settings();
  for (int p = 0; p < std::ssize(settings.parameters); ++p) {
    const EngineParameter& parameter = settings.parameters[p];
    if (parameter.buffer && with_buffers) held.push_back(HeldBuffer(engine, p));
    if (!parameter.has_storage()) continue;
    for (const std::string& state : StatesOf(parameter, settings.optimizer.kind)) {
      for (const ElementRange range : engine.Owned(p)) held.push_back(HeldState(engine, p, state, range));
    }
  }
  return held;
}

SavedTensors::SavedTensors(const std::string& folder, const CheckpointIndex& index) {
  for (const std::string& name : index.files) {
    const TensorFile& file = *files_.emplace_back(std::make_unique<TensorFile>(folder + "/" + name));
    if (file.metadata() != MetadataOf(index.steps)) {
      throw std::runtime_error(
          fmt::format("{}/{} is of another checkpoint than checkpoint.json, which was saved after {} steps", folder,
                      name, index.steps));
    }
    for (const FileTensor& tensor : file.tensors()) {
      const TensorPlace place = PlaceFromName(tensor.name);
      pieces_[{place.parameter, place.state}].push_back({place, tensor, &file});
    }
  }
  for (auto& [tensor, pieces] : pieces_) {
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.place.begin; });
  }
}

const std::vector<SavedTensors::Piece>& SavedTensors::PiecesOf(const Tensor& tensor) const {
  static const std::vector<Piece> kNone;
  const auto found = pieces_.find(tensor);
  return found == pieces_.end() ? kNone : found->second;
}

void SavedTensors::RequireWhole(const EngineSettings& settings) const {
  for (const EngineParameter& parameter : settings.parameters) {
    for (const std::string& state : StatesOf(parameter, settings.optimizer.kind)) {
      RequireTiled({parameter.spec.name, state}, parameter.spec, PrecisionInFile(parameter));
    }
  }
}

void SavedTensors::RequireTiled(const Tensor& tensor, const ParameterSpec& spec, Precision precision) const {
  const auto fail = [&](int64_t begin, int64_t end, const char* how) {
    throw std::runtime_error(
        fmt::format("elements [{}, {}) of {} of {} stand {} of the checkpoint: expected them once, in {}", begin, end,
                    tensor.second, tensor.first, how, ToString(precision)));
  };
  int64_t covered = 0;
  for (const Piece& piece : PiecesOf(tensor)) {
    const auto [begin, end] = std::pair(piece.place.begin, piece.place.end);
    if (begin > covered) fail(covered, begin, "in no file");
    if (begin < covered) fail(begin, covered, "in two places");
    if (piece.tensor.precision != precision || piece.tensor.numel != end - begin) fail(begin, end, "wrongly in a file");
    covered = end;
  }
  if (covered < spec.numel()) fail(covered, spec.numel(), "in no file");
  if (covered > spec.numel()) fail(spec.numel(), covered, "beyond the end in a file");
}

std::vector<std::byte> SavedTensors::Read(const Tensor& tensor, ElementRange range, int64_t element_bytes) const {
  std::vector<std::byte> values(static_cast<size_t>((range.end - range.begin) * element_bytes));
  for (const Piece& piece : PiecesOf(tensor)) {
    const int64_t begin = std::max(range.begin, piece.place.begin), end = std::min(range.end, piece.place.end);
    if (begin >= end) continue;
    piece.file->Read(piece.tensor, begin - piece.place.begin, end - begin,
                     values.data() + (begin - range.begin) * element_bytes);
  }
  return values;
}

void SavedTensors::ReadInto(Engine& engine, int p) const {
  const EngineParameter& parameter = engine.settings().parameters[p];
  const int64_t element_bytes = ElementBytes(PrecisionInFile(parameter));
  if (parameter.buffer) {
    engine.WriteBuffer(p, Read({parameter.spec.name, kBuffer}, {0, parameter.spec.numel()}, element_bytes).data());
    return;
  }
  if (!parameter.has_storage()) return;
  for (const std::string& state : StatesOf(parameter, engine.settings().optimizer.kind)) {
    for (const ElementRange range : engine.Owned(p)) {
      const std::vector<std::byte> values = Read({parameter.spec.name, state}, range, element_bytes);
      engine.WriteState(state, p, range, reinterpret_cast<const float*>(values.data()));
    }
  }
}

}  // namespace zerocts

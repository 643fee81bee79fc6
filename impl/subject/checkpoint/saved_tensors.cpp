#include "impl/subject/checkpoint/saved_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "impl/subject/checkpoint/damaged.hpp"

namespace zerocts::engine {
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

/// What lies in a piece of a file, range by range.
std::vector<ElementRange> Overlaps(const std::vector<ElementRange>& ranges, const SavedRange& stored) {
  std::vector<ElementRange> overlaps;
  for (const ElementRange range : ranges) {
    const ElementRange both{std::max(range.begin, stored.begin), std::min(range.end, stored.end)};
    if (both.begin < both.end) overlaps.push_back(both);
  }
  return overlaps;
}

}  // namespace

std::string NameInFile(const SavedRange& stored) {
  return fmt::format("{}/{}/{}:{}", stored.parameter, stored.state, stored.begin, stored.end);
}

SavedRange RangeFromName(const std::string& name) {
  const size_t colon = name.rfind(':'), elements = name.rfind('/');
  const size_t state =
      elements == 0 || elements == std::string::npos ? std::string::npos : name.rfind('/', elements - 1);
  SavedRange stored;
  if (state != std::string::npos && colon != std::string::npos && colon > elements) {
    stored.parameter = name.substr(0, state);
    stored.state = name.substr(state + 1, elements - state - 1);
    std::from_chars(name.data() + elements + 1, name.data() + colon, stored.begin);
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), stored.end);
  }
  if (NameInFile(stored) != name || stored.begin < 0 || stored.end < stored.begin) {
    throw std::invalid_argument(fmt::format("expected tensors called PARAMETER/STATE/BEGIN:END, got {}", name));
  }
  return stored;
}

std::vector<HeldTensor> HeldTensors(Engine& engine, bool with_buffers) {
  std::vector<HeldTensor> held;
  const EngineSettings& settings = engine.settings();
  for (int p = 0; p < std::ssize(settings.parameters); ++p) {
    const EngineParameter& parameter = settings.parameters[p];
    if (parameter.buffer && with_buffers) held.push_back(HeldBuffer(engine, p));
    if (!parameter.has_storage() || !engine.Counts(p)) continue;
    for (const std::string& state : StatesOf(parameter, settings.optimizer.kind)) {
      for (const ElementRange range : engine.Owned(p)) held.push_back(HeldState(engine, p, state, range));
    }
  }
  return held;
}

SavedTensors::SavedTensors(const std::string& folder, const CheckpointIndex& index) {
  for (int rank = 0; rank < std::ssize(index.files); ++rank) {
    const std::string path = folder + "/" + FileOfRank(rank);
    const FileIdentity& identity = index.files[static_cast<size_t>(rank)];
    const TensorFile& file = *files_.emplace_back(std::make_unique<TensorFile>(path, identity));
    if (file.metadata() != MetadataOf(index, rank)) {
      ThrowDamaged(path, fmt::format("expected the file of rank {} of {}, got one of another rank or save", rank,
                                     NameOfSave(index.save)));
    }
    try {
      for (const FileTensor& tensor : file.tensors()) {
        const SavedRange stored = RangeFromName(tensor.name);
        pieces_[{stored.parameter, stored.state}].push_back({stored, tensor, &file});
      }
    } catch (const std::invalid_argument& wrong) {
      ThrowDamaged(path, wrong.what());
    }
  }
  for (auto& [tensor, pieces] : pieces_) {
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(piece.stored.begin, piece.stored.end); });
  }
}

const std::vector<SavedTensors::Piece>& SavedTensors::PiecesOf(const Tensor& tensor) const {
  static const std::vector<Piece> kNone;
  const auto found = pieces_.find(tensor);
  return found == pieces_.end() ? kNone : found->second;
}

void SavedTensors::RequireWhole(const EngineSettings& settings) const {
  std::set<Tensor> known;
  for (const EngineParameter& parameter : settings.parameters) {
    for (const std::string& state : StatesOf(parameter, settings.optimizer.kind)) {
      known.insert({parameter.spec.name, state});
      RequireTiled({parameter.spec.name, state}, parameter.spec, PrecisionInFile(parameter));
    }
  }
  for (const auto& [tensor, pieces] : pieces_) {
    if (known.contains(tensor)) continue;
    ThrowDamaged(pieces.front().file->path(),
                 fmt::format("expected the states of this model alone, got {} of {}", tensor.second, tensor.first));
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
    const auto [begin, end] = std::pair(piece.stored.begin, piece.stored.end);
    if (begin > covered) fail(covered, begin, "in no file");
    if (begin < covered) fail(begin, covered, "in two places");
    if (piece.tensor.precision != precision || piece.tensor.numel != end - begin) fail(begin, end, "wrongly in a file");
    covered = end;
  }
  if (covered < spec.numel()) fail(covered, spec.numel(), "in no file");
  if (covered > spec.numel()) fail(spec.numel(), covered, "beyond the end in a file");
}

void SavedTensors::ReadInto(Engine& engine, int p) const {
  const EngineParameter& parameter = engine.settings().parameters[p];
  if (parameter.buffer) return ReadBufferInto(engine, p);
  if (!parameter.has_storage()) return;
  for (const std::string& state : StatesOf(parameter, engine.settings().optimizer.kind)) {
    ReadStateInto(engine, state, p);
  }
}

void SavedTensors::ReadStateInto(Engine& engine, const std::string& state, int p) const {
  const std::vector<ElementRange> owned = engine.Owned(p);
  for (const Piece& piece : PiecesOf({engine.settings().parameters[p].spec.name, state})) {
    const std::vector<ElementRange> wanted = Overlaps(owned, piece.stored);
    if (wanted.empty()) continue;
    const std::vector<std::byte> values = piece.file->Read(piece.tensor);
    const auto* numbers = reinterpret_cast<const float*>(values.data());
    for (const ElementRange range : wanted) {
      engine.WriteState(state, p, range, numbers + (range.begin - piece.stored.begin));
    }
  }
}

void SavedTensors::ReadBufferInto(Engine& engine, int p) const {
  const EngineParameter& parameter = engine.settings().parameters[p];
  std::vector<std::byte> whole = BytesFor(parameter.spec.numel(), parameter.precision);
  for (const Piece& piece : PiecesOf({parameter.spec.name, kBuffer})) {
    const std::vector<std::byte> values = piece.file->Read(piece.tensor);
    std::ranges::copy(values, whole.begin() + piece.stored.begin * ElementBytes(parameter.precision));
  }
  engine.WriteBuffer(p, whole.data());
}

}  // namespace zerocts::engine

// The tensors of a checkpoint, piece by piece: what a rank holds, what stands in files, and the way between them.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "impl/stages/engine/engine.hpp"
#include "impl/subject/checkpoint/checkpoint_index.hpp"
#include "impl/subject/checkpoint/tensor_file.hpp"

namespace zerocts::engine {

/// A range of elements of a state of a parameter, called by its name; "buffer" is the state of a buffer.
struct SavedRange {
  std::string parameter, state;
  int64_t begin = 0, end = 0;
  int64_t numel() const { return end - begin; }
};
std::string NameInFile(const SavedRange& stored);   // "w1/exp_avg/3:17"
SavedRange RangeFromName(const std::string& name);  // of what NameInFile gives; throws std::invalid_argument

struct HeldTensor {
  SavedRange stored;
  Precision precision = Precision::kFp32;
  std::function<std::vector<std::byte>()> read;
};
/// Every owned range of every state, of what all tensor ranks own the first one's, and, of one rank alone, buffers.
std::vector<HeldTensor> HeldTensors(Engine& engine, bool with_buffers);

/// What stands in the files of a save. Throws std::runtime_error.
class SavedTensors {
 public:
  SavedTensors(const std::string& folder, const CheckpointIndex& index);

  /// Is every element of every state there, and once, and nothing else?
  void RequireWhole(const EngineSettings& settings) const;
  /// What the rank owns of a parameter, or the buffer.
  void ReadInto(Engine& engine, int parameter) const;

 private:
  struct Piece {
    SavedRange stored;
    FileTensor tensor;
    const TensorFile* file;
  };
  using Tensor = std::pair<std::string, std::string>;  // parameter, state

  const std::vector<Piece>& PiecesOf(const Tensor& tensor) const;
  void RequireTiled(const Tensor& tensor, const ParameterSpec& spec, Precision precision) const;
  void ReadStateInto(Engine& engine, const std::string& state, int parameter) const;
  void ReadBufferInto(Engine& engine, int parameter) const;

  std::vector<std::unique_ptr<TensorFile>> files_;
  std::map<Tensor, std::vector<Piece>> pieces_;  // ascending
};

}  // namespace zerocts::engine

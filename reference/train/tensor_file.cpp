#include "reference/train/tensor_file.hpp"

#include <bit>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

static_assert(std::endian::native == std::endian::little);

void AddParameters(TensorFile& file, const std::string& kind, const Experiment& e,
                   const std::vector<std::vector<float>>& tensors) {
  for (size_t p = 0; p < tensors.size(); ++p) {
    file.Add(kind + "/" + e.parameters[p].name, tensors[p], e.parameters[p].shape);
  }
}

void AddBatches(TensorFile& file, const Experiment& e, const TextCorpus& text, int64_t step) {
  const int64_t count = int64_t{e.world_size} * e.micro_batches;
  std::vector<int32_t> inputs, targets;
  for (int64_t g = 0; g < count; ++g) {
    const Batch batch = MakeBatch(e, text, step, g);
    inputs.insert(inputs.end(), batch.inputs.begin(), batch.inputs.end());
    targets.insert(targets.end(), batch.targets.begin(), batch.targets.end());
  }
  file.Add("inputs", inputs, {count, e.batch, ContextOf(*e.model)});
  file.Add("targets", targets, {count, e.batch, TargetsPerSequence(*e.model)});
}

}  // namespace

void TensorFile::AddBytes(const std::string& name, const char* dtype, const void* data, uint64_t bytes,
                          std::vector<int64_t> shape) {
  const auto* begin = static_cast<const char*>(data);
  entries_.push_back({name, dtype, std::move(shape), bytes_.size(), bytes_.size() + bytes});
  bytes_.insert(bytes_.end(), begin, begin + bytes);
}

void TensorFile::Add(const std::string& name, std::span<const float> values, std::vector<int64_t> shape) {
  AddBytes(name, "F32", values.data(), values.size_bytes(), std::move(shape));
}

void TensorFile::Add(const std::string& name, std::span<const int32_t> values, std::vector<int64_t> shape) {
  AddBytes(name, "I32", values.data(), values.size_bytes(), std::move(shape));
}

void TensorFile::Write(const std::string& path) const {
  nlohmann::ordered_json header;
  for (const Entry& entry : entries_) {
    header[entry.name] = {{"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // values begin at a multiple of 8
  const uint64_t header_bytes = text.size();
  const std::string_view length(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
  errno = ReplaceFile(path, {length, text, {bytes_.data(), bytes_.size()}});
  if (errno != 0)
    throw std::runtime_error("expected a file that can be written, got " + path + "; choose another place");
}

void WriteInitialTensors(const std::string& path, const Experiment& experiment, const Trainer& trainer) {
  TensorFile file;
  AddParameters(file, "parameter", experiment, trainer.parameters());
  file.Write(path);
}

void WriteStepTensors(const std::string& path, const Experiment& experiment, const TextCorpus* text,
                      const StepTrace& step) {
  const std::vector<std::string> moments = MomentNames(experiment.optimizer);
  TensorFile file;
  if (text) AddBatches(file, experiment, *text, step.step);
  AddParameters(file, "gradient", experiment, step.gradient);
  AddParameters(file, "master", experiment, step.master);
  AddParameters(file, moments[0], experiment, step.moment1);
  if (moments.size() > 1) AddParameters(file, moments[1], experiment, step.moment2);
  AddParameters(file, "parameter", experiment, step.parameter);
  file.Write(path);
}

}  // namespace zerocts

#include "impl/tensor_parallel/for_test/model_runs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "impl/tensor_parallel/layers.hpp"
#include "impl/tensor_parallel/parameter_part.hpp"
#include "reference/model/model.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

class CountingTensors : public TensorMemory {
 public:
  void* Allocate(int64_t bytes) override {
    void* memory = HostTensors().Allocate(bytes);
    bytes_[memory] = bytes;
    return memory;
  }
  void Free(void* memory) override {
    bytes_.erase(memory);
    HostTensors().Free(memory);
  }
  void CopyFromHost(void* tensor, const void* host, int64_t bytes) override {
    HostTensors().CopyFromHost(tensor, host, bytes);
  }
  void CopyToHost(void* host, const void* tensor, int64_t bytes) override {
    HostTensors().CopyToHost(host, tensor, bytes);
  }
  int64_t held() const {
    int64_t sum = 0;
    for (const auto& [memory, bytes] : bytes_) sum += bytes;
    return sum;
  }

 private:
  std::map<void*, int64_t> bytes_;
};

/// Norms near one, so that rows are well conditioned; the rest small.
std::vector<Floats> DrawnParameters(const ModelSpec& spec, Precision precision) {
  std::vector<Floats> parameters;
  for (const ParameterSpec& parameter : ModelParameters(spec)) {
    Floats values = RandomFloats(parameter.numel(), 1 + parameters.size(), 0.25f);
    const bool of_norm = parameter.name.find("norm") != std::string::npos;
    for (float& value : values) {
      value += of_norm && parameter.name.ends_with("weight") ? 1.0f : 0.0f;
      if (precision == Precision::kBf16) value = RoundToBf16(value);
    }
    parameters.push_back(std::move(values));
  }
  return parameters;
}

std::vector<int32_t> DrawnTokens(const ModelSpec& spec, int64_t count, uint64_t stream) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<int32_t>(RandomBelow(1, stream, static_cast<uint64_t>(i), VocabOf(spec))));
  }
  return tokens;
}

struct ModelResults {
  double loss = 0;
  std::vector<Floats> gradients;
};

ModelResults Run(Model& model, const ModelSpec& spec, const std::vector<Floats>& parameters, int64_t batch) {
  const auto inputs = DrawnTokens(spec, batch * ContextOf(spec), 1),
             targets = DrawnTokens(spec, batch * TargetsPerSequence(spec), 2);
  ModelResults results;
  std::vector<const float*> values;
  std::vector<float*> gradients;
  for (const Floats& parameter : parameters) {
    values.push_back(parameter.data());
    gradients.push_back(results.gradients.emplace_back(parameter.size(), NAN).data());
  }
  results.loss = model.ForwardBackward(values, gradients, inputs.data(), targets.data(), batch);
  return results;
}

std::vector<ParameterPart> OwnParts(const ModelSpec& spec, const Communicator& comm) {
  std::vector<ParameterPart> parts;
  const std::vector<ParameterSpec> specs = ModelParameters(spec);
  const std::vector<TensorCut> cuts = ModelTensorCuts(spec);
  for (size_t p = 0; p < specs.size(); ++p) {
    parts.push_back(PartOf(specs[p].shape, cuts[p], comm.rank(), comm.world_size()));
  }
  return parts;
}

std::vector<Floats> Own(const std::vector<Floats>& whole, const std::vector<ParameterPart>& parts) {
  std::vector<Floats> own;
  for (size_t p = 0; p < whole.size(); ++p) {
    CopyFromWhole(parts[p], sizeof(float), whole[p].data(), own.emplace_back(parts[p].numel()).data());
  }
  return own;
}

}  // namespace

void CheckModel(const ModelSpec& spec, Precision precision, Communicator& comm, DeviceStream& stream) {
  MemoryLedger ledger;
  TensorGroup group(comm, stream, ledger);
  Model split(spec, precision, HostOps(), HostTensors(), UnitsOf(spec, precision, TensorParallelLayers(group)));
  Model whole(spec, precision, HostOps());
  const std::vector<Floats> parameters = DrawnParameters(spec, precision);
  const std::vector<ParameterPart> parts = OwnParts(spec, comm);
  const std::vector<ParameterSpec> specs = ModelParameters(spec);
  for (const int64_t batch : {1, 3, 2}) {
    const ModelResults expected = Run(whole, spec, parameters, batch);
    const ModelResults got = Run(split, spec, Own(parameters, parts), batch);
    const std::vector<Floats> gradients = Own(expected.gradients, parts);
    const auto where = [&] {
      return fmt::format("tensor rank {} of {}, {} sequences", comm.rank(), comm.world_size(), batch);
    };
    if (got.loss != expected.loss) {
      throw std::runtime_error(fmt::format("{}: loss is {}: expected {}", where(), got.loss, expected.loss));
    }
    for (size_t p = 0; p < gradients.size(); ++p) {
      for (size_t i = 0; i < gradients[p].size(); ++i) {
        if (CanonicalBits(got.gradients[p][i]) == CanonicalBits(gradients[p][i])) continue;
        throw std::runtime_error(fmt::format("{}: gradient of {}[{}] is {}: expected {}", where(), specs[p].name, i,
                                             got.gradients[p][i], gradients[p][i]));
      }
    }
  }
}

int64_t ActivationBytes(const ModelSpec& spec, Precision precision, int64_t batch, Communicator& comm,
                        DeviceStream& stream) {
  MemoryLedger ledger;
  CountingTensors memory;
  TensorGroup group(comm, stream, ledger);
  Model model(spec, precision, HostOps(), memory, UnitsOf(spec, precision, TensorParallelLayers(group)));
  Run(model, spec, Own(DrawnParameters(spec, precision), OwnParts(spec, comm)), batch);
  return memory.held();
}

}  // namespace zerocts::engine

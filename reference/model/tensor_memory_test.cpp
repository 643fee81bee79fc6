// A model in memory that somebody else gives: NaN when fresh, counted, and reached by no other way than through it.
#include "reference/model/tensor_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "reference/model/model.hpp"
#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

struct PoisonedTensors : TensorMemory {
  std::map<void*, int64_t> held;
  int64_t copied_in = 0, copied_out = 0;

  ~PoisonedTensors() override { EXPECT_TRUE(held.empty()); }
  void* Allocate(int64_t bytes) override {
    void* memory = std::malloc(static_cast<size_t>(bytes) + 1);
    held[memory] = bytes;
    return std::memset(memory, 0xff, static_cast<size_t>(bytes) + 1);
  }
  void Free(void* memory) override {
    ASSERT_EQ(held.erase(memory), 1u);
    std::free(memory);
  }
  void CopyFromHost(void* tensor, const void* host, int64_t bytes) override {
    copied_in += bytes;
    std::memcpy(tensor, host, static_cast<size_t>(bytes));
  }
  void CopyToHost(void* host, const void* tensor, int64_t bytes) override {
    copied_out += bytes;
    std::memcpy(host, tensor, static_cast<size_t>(bytes));
  }
};

/// Loss and gradients of two micro-batches, the second one smaller, then a larger one.
std::vector<uint32_t> Bits(const ModelSpec& spec, Precision precision, TensorMemory& memory) {
  Model model(spec, precision, HostOps(), memory);
  std::vector<std::vector<float>> values, gradients;
  std::vector<const float*> parameters;
  std::vector<float*> written;
  for (const ParameterSpec& parameter : model.parameters()) {
    values.push_back(OrdinaryFloats(parameter.numel(), values.size()));
    for (float& x : values.back()) x = RoundToBf16(x);
    gradients.emplace_back(parameter.numel());
  }
  for (size_t p = 0; p < values.size(); ++p) {
    parameters.push_back(values[p].data());
    written.push_back(gradients[p].data());
  }
  std::vector<float> all;
  for (const int64_t batch : {3, 1, 5}) {
    std::vector<int32_t> inputs, targets;
    for (int64_t i = 0; i < batch * ContextOf(spec); ++i) inputs.push_back(static_cast<int32_t>(i * 5 % VocabOf(spec)));
    for (int64_t i = 0; i < batch * TargetsPerSequence(spec); ++i)
      targets.push_back(static_cast<int32_t>(i % VocabOf(spec)));
    all.push_back(
        static_cast<float>(model.ForwardBackward(parameters, written, inputs.data(), targets.data(), batch, 2.0f)));
    for (const auto& gradient : gradients) all.insert(all.end(), gradient.begin(), gradient.end());
  }
  return CanonicalBitsOf(all);
}

TEST(TensorMemory, ModelsHaveTheSameBitsInAnyMemory) {
  const GptSpec gpt{.vocab = 11, .context = 7, .layers = 2, .heads = 3, .width = 6, .tied = true};
  const MlpSpec mlp{.vocab = 11, .context = 3, .embedding = 5, .hidden = {7}};
  for (const ModelSpec& spec : {ModelSpec(gpt), ModelSpec(mlp)}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      PoisonedTensors memory;
      EXPECT_EQ(Bits(spec, precision, memory), Bits(spec, precision, HostTensors()));
      EXPECT_EQ(memory.copied_in, 9 * (ContextOf(spec) + TargetsPerSequence(spec)) * 4);
      EXPECT_EQ(memory.copied_out, 9 * TargetsPerSequence(spec) * 4);
    }
  }
}

}  // namespace
}  // namespace zerocts

#include "reference/train/tensor_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "reference/experiment/temporary_text.hpp"

namespace zerocts {
namespace {

/// The bytes of a file and its header, read as the format says.
struct ReadBack {
  explicit ReadBack(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    header = nlohmann::json::parse(bytes.substr(8, size));
    values = bytes.substr(8 + size);
    EXPECT_EQ(size % 8, 0u);
  }
  template <typename Number>
  std::vector<Number> Tensor(const std::string& name) const {
    const uint64_t begin = header.at(name)["data_offsets"][0], end = header.at(name)["data_offsets"][1];
    std::vector<Number> numbers((end - begin) / sizeof(Number));
    std::memcpy(numbers.data(), values.data() + begin, end - begin);
    return numbers;
  }
  nlohmann::json header;
  std::string values;
};

TEST(TensorFile, HoldsWhatWasAdded) {
  const TemporaryText target("");
  const std::vector<float> a = {1.5f, -2.0f, 0.25f, 3.0f, 4.0f, 5.0f};
  const std::vector<int32_t> b = {7, -8};
  TensorFile file;
  file.Add("a", a, {2, 3});
  file.Add("none", std::span<const float>(), {0});
  file.Add("b", b, {2});
  file.Write(target.path());

  const ReadBack read(target.path());
  EXPECT_EQ(read.Tensor<float>("a"), a);
  EXPECT_EQ(read.Tensor<int32_t>("b"), b);
  EXPECT_EQ(read.header["a"]["shape"], (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(read.header["b"]["dtype"], "I32");
  EXPECT_TRUE(read.Tensor<float>("none").empty());
  EXPECT_EQ(read.values.size(), 32u);
}

TEST(TensorFile, SaysWhereItCannotBeWritten) {
  try {
    TensorFile().Write("/nowhere/x.safetensors");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "expected a file that can be written, got /nowhere/x.safetensors; choose another place");
  }
}

TEST(TensorFile, OfAStepHoldsItsBatchesAndItsTensors) {
  const TemporaryText text("a text that is long enough for a context of four tokens");
  Experiment e;
  e.model = GptSpec{.vocab = 128, .context = 4, .layers = 1, .heads = 1, .width = 2};
  e.parameters = ModelParameters(*e.model);
  e.groups.resize(2);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.world_size = 3;
  e.batch = 2;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  Trainer trainer(e, UniformOrder(e, RankFold(3, 1)), HostOps());
  const TemporaryText file("");
  WriteInitialTensors(file.path(), e, trainer);
  EXPECT_EQ(ReadBack(file.path()).Tensor<float>("parameter/token_embedding"), trainer.parameters()[0]);

  const StepTrace step = trainer.Step();
  const TextCorpus corpus = TextCorpus::LoadFor(e);
  WriteStepTensors(file.path(), e, &corpus, step);
  const ReadBack read(file.path());
  EXPECT_EQ(read.header["targets"]["shape"], (std::vector<int64_t>{3, 2, 4}));
  const Batch last = MakeBatch(e, corpus, 0, 2);
  const std::vector<int32_t> inputs = read.Tensor<int32_t>("inputs");
  EXPECT_EQ(std::vector<int32_t>(inputs.end() - 8, inputs.end()), last.inputs);
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    EXPECT_EQ(read.Tensor<float>("gradient/" + e.parameters[p].name), step.gradient[p]);
    EXPECT_EQ(read.Tensor<float>("momentum/" + e.parameters[p].name), step.moment1[p]);
    EXPECT_EQ(read.header["parameter/" + e.parameters[p].name]["shape"], e.parameters[p].shape);
  }
}

}  // namespace
}  // namespace zerocts

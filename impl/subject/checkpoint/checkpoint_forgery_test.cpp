// Checkpoints whose hashes are right and which say what no training can have left: refused, with what is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "impl/subject/for_test/forged_checkpoint.hpp"

namespace zerocts::engine {
namespace {

struct Forgery {
  std::string from, to, sentence;  // a part of it
};

void ExpectRefused(const std::function<void(const std::string& folder)>& forge, const std::string& part) {
  const TestFolder folder;
  Train({}, folder.path());
  forge(folder.path());
  const std::string sentence = RunRanks({}, -7.0f, [&](Rank& rank, uint32_t) { rank.Load(folder.path()); })[0];
  EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nexpected " << part;
  EXPECT_NE(sentence.find("; load a checkpoint that is whole"), std::string::npos) << sentence;
}

TEST(CheckpointForgery, HyperParametersAndScalesAreSane) {
  for (const Forgery& forgery : std::vector<Forgery>{
           {"\"beta1\": 0.5", "\"beta1\": 5", "groups[0].beta1: expected 0 or more and less than 1, got 5"},
           {"\"beta2\": 0.75", "\"beta2\": 1.999", "groups[0].beta2: expected 0 or more and less than 1, got 1.999"},
           {"\"eps\": ", "\"eps\": -", "groups[0].eps: expected a finite number above 0"},
           {"\"lr\": 0.5", "\"lr\": -0.5", "groups[0].lr: expected a finite number of 0 or more, got -0.5"},
           {"\"lr\": 0.5", "\"lr\": 1e39", "groups[0].lr: expected a finite fp32 number"},
           {"\"scale\": 1.0", "\"scale\": 0.0", "loss_scale.scale: expected a finite number above 0, got 0"},
           {"\"good_steps\": 0", "\"good_steps\": -1", "loss_scale.good_steps: expected 0 to"},
           {"\"beta1_product\": 0.25", "\"beta1_product\": -1",
            "parameters.p0.beta1_product: expected 0 or more and less than 1 after 2 steps, got -1"},
           {"\"beta2_product\": 0.5625", "\"beta2_product\": 1", "parameters.p0.beta2_product: expected"},
           {"\"steps\": 2", "\"steps\": 3", "parameters.p0.steps: expected 0 to 2, got 3"},
           {"\"steps\": 2\n}", "\"steps\": -2\n}", "checkpoint.steps: expected an integer from 0"}}) {
    ExpectRefused([&](const std::string& folder) { ForgeIndex(folder, forgery.from, forgery.to); }, forgery.sentence);
  }
}

TEST(CheckpointForgery, TheIndexIsOfTheRanksThatSaved) {
  for (const Forgery& forgery : std::vector<Forgery>{
           {"\"world_size\": 1", "\"world_size\": 2", "files: expected those of 2 ranks, got 1"},
           {"\"world_size\": 1", "\"world_size\": 1000000", "saved_by.world_size: expected 1 to 1024"},
           {"\"replicas\": 1", "\"replicas\": 0", "saved_by.replicas: expected 1 or more, got 0"},
           {"\"stage\": 1", "\"stage\": 7", "saved_by.stage: expected 0 to 3, got 7"},
           {"rank-0.safetensors", "../rank-0.safetensors", "checkpoint.files[0].name: expected"},
           {"checkpoint/2", "checkpoint/3", "checkpoint.format: expected"},
           {"\"save\": \"save-", "\"save\": \"save+", "checkpoint.save: expected"},
           {"{", "{\"more\": 1,", "checkpoint.more: unknown field"},
           {"\"steps\": 2\n}", "\"steps\": 2, \"steps\": 2\n}", "every key of an object once, got \"steps\" twice"},
           {"{", std::string(100000, '[') + "{", "expected at most"},
           {"{", "[", "checkpoint.json: line 2, column 10: expected"}}) {
    ExpectRefused([&](const std::string& folder) { ForgeIndex(folder, forgery.from, forgery.to); }, forgery.sentence);
  }
}

std::string Entry(const std::string& name, const std::string& offsets, const std::string& shape,
                  const std::string& dtype = "F32") {
  return fmt::format(R"("{}":{{"data_offsets":[{}],"dtype":"{}","shape":[{}]}})", name, offsets, dtype, shape);
}

TEST(CheckpointForgery, TensorsLieEndToEnd) {
  const std::string name = "p0/master/0:7", master = Entry(name, "0,28", "7"), most = "4611686018427387904";
  for (const Forgery& forgery : std::vector<Forgery>{
           {master, Entry(name, "28,56", "7"), "to begin at byte 0 of the values, got 28"},
           {Entry("p0/exp_avg/0:7", "28,56", "7"), Entry("p0/exp_avg/0:7", "0,28", "7"),
            "to begin at byte 28 of the values, got 0"},
           {master, Entry(name, "0,24", "7"), "data_offsets: expected 28 bytes among"},
           {master, Entry(name, "-9223372036854775808,28", "7"), "data_offsets: expected"},
           {master, Entry(name, "0,-9223372036854775808", "7"), "data_offsets: expected"},
           {master, Entry(name, "0,28", "7", "F64"), "dtype: expected F32 or BF16"},
           {master, Entry(name, "0,28", "7,1"), "shape: expected one integer"},
           {master, Entry(name, "0,28", "4611686018427387911"), "shape: expected elements within"},
           {master, Entry(name, "0,28", "-7"), "shape: expected elements within"},
           {master, master + "," + Entry("z/master/0:" + most, "0,0", most), "shape: expected elements within"},
           {master, master + "," + master, "every key of an object once, got \"p0/master/0:7\" twice"},
           {master, Entry("p0/master/0:8", "0,28", "7"), "expected a hash of p0/master/0:8, got none"},
           {R"("rank":"0")", R"("rank":"1")", "expected the file of rank 0 of save-"},
           {R"("steps":"2")", R"("steps":"3")", "expected the file of rank 0 of save-"}}) {
    ExpectRefused([&](const std::string& folder) { ForgeHeader(folder, forgery.from, forgery.to); }, forgery.sentence);
  }
}

TEST(CheckpointForgery, TensorsAreOfTheModel) {
  const std::string metadata = R"("__metadata__":{)", hash_of_nothing = R"(":"99aa06d3014798d86001c324468d497f",)";
  const auto with_empty_tensor = [&](const std::string& name) {
    return [=](const std::string& folder) {
      ForgeHeader(folder, metadata, metadata + R"("xxh3-128 of )" + name + hash_of_nothing);
      ForgeHeader(folder, metadata, Entry(name, "0,0", "0") + "," + metadata);
    };
  };
  ExpectRefused(with_empty_tensor("z/master/0:0"), "expected the states of this model alone, got master of z");
  ExpectRefused(with_empty_tensor("z/master/00:0"), "rank-0.safetensors: expected tensors called PARAMETER/STATE/");
  ExpectRefused(with_empty_tensor("z"), "rank-0.safetensors: expected tensors called PARAMETER/STATE/BEGIN:END, got z");
}

/// Each tensor's hash is of its values, wherever they stand.
TEST(CheckpointForgery, ValuesAreThoseOfTheTensor) {
  ExpectRefused(
      [](const std::string& folder) {
        ForgeHeader(folder, "[28,56]", "[was,28]");
        ForgeHeader(folder, "[56,84]", "[28,56]");
        ForgeHeader(folder, "[was,28]", "[56,84]");
      },
      "expected p0/exp_avg/0:7 with XXH3-128");
}

}  // namespace
}  // namespace zerocts::engine

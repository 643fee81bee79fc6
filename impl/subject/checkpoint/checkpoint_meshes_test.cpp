// One unsharded file is loaded by ranks of every mesh, and what those save is loaded by one rank, which writes the same
// tensors again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

struct Mesh {
  uint32_t replicas, shards, tensor, stage;
  uint32_t ranks() const { return replicas * shards * tensor; }
};
constexpr Mesh kAlone{1, 1, 1, 0};

struct Training {
  ModelSpec model;
  const char* json;
  uint32_t dtype;
};

const GptSpec kGpt{.vocab = 24,
                   .context = 3,
                   .layers = 1,
                   .heads = 24,
                   .kv_heads = 12,
                   .width = 48,
                   .slice_order = {12},
                   .vocab_parallel = true};
constexpr const char* kGptText =
    R"({"gpt": {"vocab": 24, "context": 3, "layers": 1, "heads": 24, "kv_heads": 12, "width": 48, "tied": true,
                "slices": 12, "vocab_parallel": true}})";
const MlpSpec kMlp{.vocab = 24, .context = 3, .embedding = 5, .hidden = {13}, .slice_order = {12}};
constexpr const char* kMlpText =
    R"({"mlp": {"vocab": 24, "context": 3, "embedding": 5, "hidden": [13], "slices": 12}})";

/// An engine per rank whose parameters all begin with `value`. Loads `from`, unless it is empty; makes so many steps;
/// saves. Returns what each rank was told.
class RankRun {
 public:
  RankRun(const Training& training, const Mesh& mesh, float value)
      : training_(training), mesh_(mesh), value_(value), specs_(ModelParameters(training.model)), told_(mesh.ranks()) {
    for (const ParameterSpec& spec : specs_) numel_.push_back(spec.numel());
  }

  std::vector<std::string> LoadStepsSave(const std::string& from, int steps, const std::string& to) {
    std::vector<std::jthread> ranks;
    for (uint32_t r = 0; r < mesh_.ranks(); ++r) {
      ranks.emplace_back([&, r] { told_[r] = OneRank(r, from, steps, to); });
    }
    ranks.clear();
    return told_;
  }

 private:
  static std::string Told(zerocts_status* status) {
    const std::string told = status ? Native().status_message(status) : "";
    Native().status_free(status);
    return told;
  }

  std::string OneRank(uint32_t rank, const std::string& from, int steps, const std::string& to) {
    SubjectHostForTest host(store_);
    OpenForTest open(host.table(), rank, mesh_.ranks(), numel_);
    for (size_t p = 0; p < specs_.size(); ++p) {
      open.initial[p].assign(open.initial[p].size(), value_ + 0.125f * static_cast<float>(p));
      open.parameters[p].name = specs_[p].name.c_str();
      open.parameters[p].ndim = static_cast<uint32_t>(specs_[p].shape.size());
      open.parameters[p].shape = specs_[p].shape.data();
    }
    open.args.stage = mesh_.stage;
    open.args.replicas = mesh_.replicas;
    open.args.tensor = mesh_.tensor;
    open.args.model = training_.json;
    open.args.param_dtype = training_.dtype;
    open.args.optimizer = ZEROCTS_ADAMW;
    open.group.beta1 = 0.9f;
    open.group.beta2 = 0.999f;
    open.group.eps = 1e-8f;
    open.args.reduction_order = "tree";
    std::string told = Told(Native().open(&open.args));
    if (told.empty() && !from.empty()) told = Call(Native().load, open, from);
    for (int step = 0; told.empty() && step < steps; ++step) told = Step(open, static_cast<uint64_t>(step));
    if (told.empty()) told = Call(Native().save, open, to);
    if (open.args.engine) Native().close(open.args.engine);
    return told;
  }

  static std::string Call(zerocts_status* (*function)(zerocts_checkpoint_args*), const OpenForTest& open,
                          const std::string& folder) {
    zerocts_checkpoint_args args{sizeof args, open.args.engine, folder.c_str()};
    return Told(function(&args));
  }

  static std::string Step(const OpenForTest& open, uint64_t step) {
    const int32_t tokens[] = {1, 5, 9}, next[] = {5, 9, 23};
    const auto* extension =
        static_cast<const zerocts_model_extension*>(Native().get_extension(ZEROCTS_MODEL_EXTENSION));
    zerocts_forward_backward_args pass{sizeof pass, open.args.engine, step, 0, 1, 3, 0, tokens, next};
    const std::string told = Told(extension->forward_backward(&pass));
    if (!told.empty()) return told;
    zerocts_step_args args{};
    args.struct_size = sizeof args;
    args.engine = open.args.engine;
    args.step = step;
    return Told(Native().step(&args));
  }

  const Training& training_;
  const Mesh mesh_;
  const float value_;
  const std::vector<ParameterSpec> specs_;
  std::vector<int64_t> numel_;
  TestStore store_;
  std::vector<std::string> told_;
};

/// All but the metadata, which say of which save a file is: names, offsets and bytes of tensors.
std::string TensorsIn(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string text(length, ' ');
  file.read(text.data(), static_cast<std::streamsize>(length));
  nlohmann::json header = nlohmann::json::parse(text);
  header.erase("__metadata__");
  return header.dump() + std::string(std::istreambuf_iterator<char>(file), {});
}

/// The tensors in a checkpoint with one file.
std::string TensorsOfOne(const std::string& folder) {
  const std::string save = SaveIn(folder);
  EXPECT_FALSE(fs::exists(save + "/rank-1.safetensors"));
  return TensorsIn(save + "/rank-0.safetensors");
}

TEST(CheckpointMeshes, OneUnshardedFileGoesToEveryMeshAndBack) {
  const Training trainings[] = {{kMlp, kMlpText, ZEROCTS_FP32},
                                {kMlp, kMlpText, ZEROCTS_BF16},
                                {kGpt, kGptText, ZEROCTS_FP32},
                                {kGpt, kGptText, ZEROCTS_BF16}};
  for (const Training& training : trainings) {
    const TestFolder alone;
    ASSERT_EQ(RankRun(training, kAlone, 0.5f).LoadStepsSave("", 2, alone.path()), std::vector<std::string>(1));
    const std::string tensors = TensorsOfOne(alone.path());
    for (const Mesh& mesh : {Mesh{1, 1, 2, 0}, Mesh{1, 3, 1, 1}, Mesh{2, 2, 1, 2}, Mesh{1, 2, 3, 3}, Mesh{1, 1, 4, 2},
                             Mesh{2, 2, 2, 3}, Mesh{3, 1, 4, 1}}) {
      const TestFolder sharded, back;
      const std::vector<std::string> told =
          RankRun(training, mesh, -1.0f).LoadStepsSave(alone.path(), 0, sharded.path());
      ASSERT_EQ(told, std::vector<std::string>(mesh.ranks()));
      ASSERT_EQ(RankRun(training, kAlone, -2.0f).LoadStepsSave(sharded.path(), 0, back.path()),
                std::vector<std::string>(1));
      EXPECT_TRUE(TensorsOfOne(back.path()) == tensors)
          << mesh.replicas << " x " << mesh.shards << " x " << mesh.tensor << " of " << training.json;
    }
  }
}

}  // namespace
}  // namespace zerocts::engine

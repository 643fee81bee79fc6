// Reads two checkpoints that orbax 0.12.8 saved with jax 0.10.2, without the data of their arrays where it is not
// looked at: testdata/orbax/ocdbt_2x2 by one process with four devices, testdata/orbax/zarr_3x2 by three with two each.
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/orbax/base64.hpp"
#include "conformance/plans/read/orbax/orbax_blocks.hpp"
#include "conformance/plans/reading.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {
namespace {

namespace fs = std::filesystem;

/// A copy of a fixture that a test may damage.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& fixture)
      : path_(fs::path(testing::TempDir()) / ("zerocts_orbax." + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::copy(fs::path(ZEROCTS_ORBAX_FIXTURES) / fixture, path_, fs::copy_options::recursive);
  }
  ~Checkpoint() { fs::remove_all(path_); }
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  void Remove(const std::string& file) { ASSERT_TRUE(fs::remove_all(path_ / file) > 0) << file; }
  void Replace(const std::string& file, const std::string& old_text, const std::string& new_text) {
    const std::string text = TextOfFile(path_ / file, kJsonLimits.bytes);
    ASSERT_NE(text.find(old_text), text.npos) << text;
    std::string replaced;
    size_t begin = 0;
    for (size_t at; (at = text.find(old_text, begin)) != text.npos; begin = at + old_text.size())
      replaced += text.substr(begin, at - begin) + new_text;
    std::ofstream(path_ / file, std::ios::binary) << replaced << text.substr(begin);
  }
  void MoveInto(const std::string& folder) {
    const fs::path aside = path_.string() + ".aside";
    fs::remove_all(aside);
    fs::rename(path_, aside);
    fs::create_directory(path_);
    fs::rename(aside, path_ / folder);
  }
  void CopyTo(const std::string& from, const std::string& to) {
    fs::copy(path_ / from, path_ / to, fs::copy_options::recursive);
  }
  void Truncate(const std::string& file, size_t bytes) { fs::resize_file(path_ / file, bytes); }

  Reading Read() const { return ReadOrbax(path_); }
  /// The first fault, or what breaks first of the plan, or why it is refused.
  std::string Says() const {
    try {
      const Reading reading = Read();
      EXPECT_EQ(plan::Problem(reading.plan), "");
      if (!reading.faults.empty()) return reading.faults.front();
      const plan::Verdict verdict = plan::Judge(reading.plan);
      return verdict.sound() ? "sound" : ToString(verdict.firsts.front());
    } catch (const std::invalid_argument& wrong) {
      return wrong.what();
    }
  }

 private:
  const fs::path path_;
};

const plan::Division& DivisionOf(const plan::Plan& plan, const std::string& name) {
  for (size_t t = 0; t < plan.model.size(); ++t) {
    if (plan.model[t].name == name) return plan.shardings.front().divisions[t];
  }
  throw std::out_of_range(name);
}

std::vector<std::vector<int64_t>> ShapesOf(const plan::Plan& plan) {
  std::vector<std::vector<int64_t>> shapes;
  for (const plan::Tensor& tensor : plan.model) shapes.push_back(tensor.shape);
  return shapes;
}

using Sizes = std::vector<int64_t>;

/// b is divided along the inner axis alone, c along both in dimension 0, w by one axis per dimension.
TEST(Orbax, TakesShardsFromSpecAndMesh) {
  const Checkpoint checkpoint("ocdbt_2x2");
  EXPECT_EQ(checkpoint.Says(), "sound");
  const Reading reading = checkpoint.Read();
  EXPECT_EQ(reading.format, "orbax, OCDBT: 1 processes, mesh data 2 x model 2, 5 arrays, 1 other leaves");
  EXPECT_EQ(ShapesOf(reading.plan), (std::vector<Sizes>{{6}, {12, 2}, {4, 12}, {3}, {}}));
  EXPECT_EQ(DivisionOf(reading.plan, "params.dense.c").rule, plan::Rule(plan::Rows{.dimension = 0}));
  const auto& b = std::get<plan::Affine>(DivisionOf(reading.plan, "params.dense.b").rule);
  ASSERT_EQ(b.pieces.size(), 4u);
  EXPECT_EQ(b.pieces[0].locations, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(b.pieces[3].locations, (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(b.pieces[3].source_offset, 3);
  const auto& w = std::get<plan::Affine>(DivisionOf(reading.plan, "params.dense.w").rule);
  EXPECT_EQ(w.pieces[2].shape, (Sizes{2, 6}));
  EXPECT_EQ(w.pieces[2].source_offset, 24);
  EXPECT_EQ(w.pieces[2].locations, (std::vector<int32_t>{2}));
}

/// By y first and x inside of it, on a mesh that counts y fastest: x 0, y 1 has the third of six parts, not the second.
TEST(Orbax, DividesInTheOrderOfTheSpec) {
  OrbaxSharding sharding{.mesh = OrbaxMesh{{{{"x", 2}, {"y", 3}}}, {}}, .spec = {{"y", "x"}}};
  const OrbaxShards shards({{"w", sharding}});
  const StoredTensor tensor = OrbaxBlocks(shards).Of({.name = "w", .shape = {12, 2}}, sharding);
  std::vector<int64_t> begins(6);
  for (const Block& block : tensor.blocks) begins[block.shard] = block.offsets[0];
  EXPECT_EQ(begins, (Sizes{0, 4, 8, 2, 6, 10}));
}

/// r was written by one sixth on each of six replicas, w by a half on each of two: zarr says how large they are.
TEST(Orbax, TakesShapesFromZarr) {
  const Checkpoint checkpoint("zarr_3x2");
  EXPECT_EQ(checkpoint.Says(), "sound");
  const Reading reading = checkpoint.Read();
  EXPECT_EQ(ShapesOf(reading.plan), (std::vector<Sizes>{{7}, {18}, {12, 3}}));
  EXPECT_EQ(reading.plan.shardings.front().axes, std::vector<std::string>{"data"});
  EXPECT_EQ(DivisionOf(reading.plan, "w").rule, plan::Rule(plan::Rows{.dimension = 0}));
}

/// CheckpointManager: a folder for each item of a step.
TEST(Orbax, IsReadByTheFolderOfAStep) {
  Checkpoint step("zarr_3x2");
  step.MoveInto("default");
  EXPECT_EQ(step.Says(), "sound");
  step.CopyTo("default", "again");
  EXPECT_EQ(step.Says(), "it has items again and default: expected the folder of one");
  step.Remove("again");
  step.Remove("default");
  EXPECT_EQ(step.Says(), "expected _METADATA in it or in one folder in it, there is none");
}

TEST(Orbax, FindsWhatIsMissing) {
  const std::pair<const char*, const char*> cases[] = {
      {"array_metadatas/process_1", "array_metadatas/process_1 is missing: the last process is 2"},
      {"array_metadatas", "b is an array of jax, and array_metadatas does not have it"},
      {"_sharding", "b is an array of jax, and _sharding does not have it"},
      {"w/3.0", "file w/3.0 is missing"},
      {"w/.zarray", "the array in folder w is missing"}};
  for (const auto& [file, sentence] : cases) {
    Checkpoint checkpoint("zarr_3x2");
    checkpoint.Remove(file);
    EXPECT_EQ(checkpoint.Says(), sentence);
  }
  Checkpoint empty("zarr_3x2");
  empty.Truncate("r/0", 0);
  EXPECT_EQ(empty.Says(), "file r/0 is empty");
  Checkpoint cut("ocdbt_2x2");
  cut.Truncate("manifest.ocdbt", 50);
  EXPECT_EQ(cut.Says().substr(0, 41), "file manifest.ocdbt has 50 bytes: expecte");
  Checkpoint process("ocdbt_2x2");
  process.Remove("ocdbt.process_0");
  EXPECT_EQ(process.Says(), "every process wrote, folder ocdbt.process_0 is missing: the last process is 0");
}

TEST(Orbax, ComparesWhatWasWrittenWithTheSharding) {
  struct Case {
    const char *file, *old_text, *new_text, *sentence;
  };
  const Case cases[] = {
      {"w/.zarray", "[12,3]", "[13,3]",
       "w has shape [13, 3] and is cut into 3 parts along dimension 0: expected a size that they divide"},
      {"w/.zarray", "[12,3]", "[24,3]",
       "w has shape [24, 3] and is written by blocks of [2, 3], 4 to a part: expected no more than it has replicas, 2"},
      {"w/.zarray", "[12,3]", "[12]", "w: .zarray: shape [12] and chunks [2, 3]: expected as many sizes, at most 16"},
      {"w/.zarray", "\"chunks\":[2,3]", "\"chunks\":[1,3]",
       "w has files of [1, 3]: expected [2, 3] by array_metadatas"},
      {"r/.zarray", "[18]", "[17]",
       "r has shape [17] and is written by blocks of [3]: expected the parts of its sharding, or these cut in one "
       "dimension"},
      {"_METADATA", "[2, 3]", "[4, 3]",
       "w is written by blocks of [4, 3] in _METADATA, and of [2, 3] in array_metadatas"},
      {"array_metadatas/process_2", "[7]", "[8]",
       "array_metadatas/process_2 has other arrays or shapes than that of process 0"},
      {"_sharding", R"(\"partition_spec\": [\"data\"])", R"(\"partition_spec\": [\"dada\"])",
       "_sharding: w.partition_spec names axis dada, which axis_names does not have"},
      {"_sharding", R"(\"partition_spec\": [\"data\"])", R"(\"partition_spec\": [\"data\", \"data\"])",
       "_sharding: w.partition_spec names axis data twice"},
      {"_sharding", R"(\"partition_spec\": [\"data\"])", R"(\"partition_spec\": [null, null, \"data\"])",
       "w is written by blocks of [2, 3]: expected at least 3 dimensions, as its partition_spec has"},
      {"_sharding", R"({\"id\": 4096})", R"({\"id\": 0})", "_sharding: b.device_mesh.mesh has device 0 twice"},
      {"_sharding", "\"dw==\"", "\"d!==\"", "_sharding: expected base64, got \"d!==\""},
      {"_sharding", "\"dw==\"", "\"d3h5\"", "w is an array of jax, and _sharding does not have it"},
      {"_sharding", "NamedSharding", "PositionalSharding",
       "_sharding: b.sharding_type: expected NamedSharding or SingleDeviceSharding, got PositionalSharding"},
  };
  for (const Case& wrong : cases) {
    Checkpoint checkpoint("zarr_3x2");
    checkpoint.Replace(wrong.file, wrong.old_text, wrong.new_text);
    EXPECT_EQ(checkpoint.Says(), wrong.sentence);
  }
}

TEST(Orbax, RefusesArraysOnTwoMeshes) {
  Checkpoint checkpoint("ocdbt_2x2");
  checkpoint.Replace("_sharding", R"(\"partition_spec\": [], \"device_mesh\": {\"mesh\": [[{\"id\": 0}, {\"id\": 1}])",
                     R"(\"partition_spec\": [], \"device_mesh\": {\"mesh\": [[{\"id\": 1}, {\"id\": 0}])");
  EXPECT_EQ(checkpoint.Says(), "_sharding: rep has another mesh than params.dense.b: expected one mesh for all arrays");
}

/// RFC 4648, section 10.
TEST(Base64, IsThatOfItsDefinition) {
  EXPECT_EQ(FromBase64(""), "");
  EXPECT_EQ(FromBase64("Zg=="), "f");
  EXPECT_EQ(FromBase64("Zm8="), "fo");
  EXPECT_EQ(FromBase64("Zm9vYmFy"), "foobar");
  for (const char* wrong : {"Zg=", "Z===", "Zm9v\n", "Zm-_", "===="})
    EXPECT_THROW(FromBase64(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts::read

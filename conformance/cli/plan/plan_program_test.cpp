// zerocts plan as a user types it.
#include <algorithm>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

using PlanProgram = Program;

TEST_F(PlanProgram, MakesVerifiesAndReadsBack) {
  for (const char* plan : {"contiguous", "padded", "per-parameter", "per-parameter-rows", "round-robin", "balanced",
                           "block-round-robin", "block-contiguous"}) {
    const Ended made = Run(std::string("plan make --model tiny --ranks 6 --replicas 2 --out plan.json --plan ") + plan);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Ended verified = Run("plan verify plan.json");
    EXPECT_EQ(verified.exit_code, 0) << verified.out;
    EXPECT_TRUE(Has(verified.out, "sound: ")) << verified.out;
    ASSERT_EQ(Run("plan make plan.json --form csv --out plan.csv").exit_code, 0);
    const Ended with_model = Run("plan verify plan.csv --model tiny"), without = Run("plan verify plan.csv");
    EXPECT_EQ(with_model.exit_code, 0);
    EXPECT_EQ(with_model.out.find("note:"), std::string::npos) << with_model.out;
    EXPECT_NE(without.out.find("without --model, a missing tail is not seen"), std::string::npos) << without.out;
    ASSERT_EQ(Run("plan make plan.json --form affine --out plan.affine").exit_code, 0);
    EXPECT_EQ(Run("plan verify plan.affine").exit_code, 0);
  }
}

TEST_F(PlanProgram, SaysWhatIsNotSound) {
  Put("gap.csv", "state,parameter,rank,begin,end\noptimizer,w,0,0,3\noptimizer,w,1,4,8\n");
  const Ended ended = Run("plan verify gap.csv --junit junit.xml");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(Has(ended.out, "P1 coverage: optimizer of w, element 3: nobody holds [3, 4)")) << ended.out;
  EXPECT_TRUE(Has(Contents(folder() / "junit.xml"), "tests=\"10\" failures=\"1\"")) << Contents(folder() / "junit.xml");
  const Ended json = Run("plan verify gap.csv --json");
  EXPECT_TRUE(Has(json.out, "\"sound\": false") && Has(json.out, "\"element\": 3")) << json.out;
}

TEST_F(PlanProgram, CostsTheSeedsFigures) {
  const char* const ranks[] = {"1", "2", "4"};
  const char* const bytes[] = {"2.8 GB", "1.4 GB", "700 MB"};
  for (int i = 0; i < 3; ++i) {
    const Ended ended = Run(std::string("plan cost --model 350M --stage 1 --ranks ") + ranks[i]);
    const size_t row = ended.out.find("moments");
    EXPECT_TRUE(Has(ended.out.substr(row, 100), bytes[i])) << ended.out;
  }
  const Ended xl = Run("plan cost --model 1.7B --stage 1 --ranks 2 --all-reduce --link 900GB/s");
  for (const char* figure : {"27.2 GB", "20.4 GB", "25.0 %", "7.556 ms"}) EXPECT_TRUE(Has(xl.out, figure)) << xl.out;
  EXPECT_TRUE(Has(Run("plan cost --model 1.7B --stage 2 --ranks 2").out, "37.5 %"));
}

TEST_F(PlanProgram, TellsHowCostsGrowWithRanks) {
  const Ended grown = Run("plan cost --model 1000T --stage 3 --scaling 4096,1,4 --link 900GB/s");
  ASSERT_EQ(grown.exit_code, 0) << grown.err;
  // Parameters, gradients and moments of 4 + 4 + 8 bytes; gradients once and parameters twice, (W - 1) / W of 4 bytes.
  EXPECT_TRUE(Has(grown.out, "       1           16 PB     0.0 %               0 B           0 B")) << grown.out;
  EXPECT_TRUE(Has(grown.out, "       4            4 PB    75.0 %              9 PB         36 PB")) << grown.out;
  EXPECT_TRUE(Has(grown.out, "    4096        3.906 TB   100.0 %             12 PB      49.14 EB")) << grown.out;
  EXPECT_LT(grown.out.find("       4 "), grown.out.find("    4096 "));
  const Ended json = Run("plan cost --model 8 --scaling 2 --json");
  EXPECT_TRUE(Has(json.out, "\"held\": 64") && Has(json.out, "\"sent_by_all\": 96.0")) << json.out;
}

TEST_F(PlanProgram, RefusesToScaleWhatHasItsRanks) {
  ASSERT_EQ(Run("plan make --model 60 --ranks 2 --out two.json").exit_code, 0);
  const Ended file = Run("plan cost two.json --scaling 2,4");
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_TRUE(Has(file.err, "--scaling: expected --model with it, got the plan two.json")) << file.err;
  for (const char* wrong : {"--ranks 2 --scaling 4", "--scaling 4 --each-rank", "--scaling 0", "--scaling 4,x"})
    EXPECT_EQ(Run(std::string("plan cost --model 60 ") + wrong).exit_code, 2) << wrong;
  EXPECT_EQ(Run("plan cost --model 60").exit_code, 2);
}

TEST_F(PlanProgram, SaysWhatMoves) {
  ASSERT_EQ(Run("plan make --model 60 --ranks 2 --out two.json").exit_code, 0);
  ASSERT_EQ(Run("plan make --model 60 --ranks 3 --out three.json").exit_code, 0);
  const Ended moved = Run("plan diff two.json three.json");
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_TRUE(Has(moved.out, "the least that any reshard moves                   360  360 B")) << moved.out;
  EXPECT_EQ(Run("plan diff two.json two.json").exit_code, 0);
}

TEST_F(PlanProgram, CountsTheBytesThatThePrecisionHas) {
  ASSERT_EQ(Run("plan make --model 60 --ranks 2 --out two.json").exit_code, 0);
  ASSERT_EQ(Run("plan make --model 60 --ranks 3 --out three.json").exit_code, 0);
  // 30 elements move: 2 bytes of parameter, 8 of moments, 4 of master weights.
  EXPECT_TRUE(Has(Run("plan diff two.json three.json --precision mixed --json").out, "\"total\": 420"));
}

TEST_F(PlanProgram, CostsMoreThan64BitsOfAllRanks) {
  const Ended whole = Run("plan cost --model 10000T --stage 0 --ranks 1024");
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_TRUE(Has(whole.out, "160 PB") && Has(whole.out, "163.8 EB")) << whole.out;
}

/// [5, 2) would leave less room than nothing.
constexpr const char* kBackwards = R"({"format": "zerocts-plan", "version": 1, "mesh": [{"axis": "shard", "size": 2}],
  "parameters": {"axes": ["shard"], "divisions": [{"rule": "intervals", "intervals": [[0, 8, 0], [5, 2, 1]]}]},
  "gradients": "parameters", "optimizer": "parameters", "model": [{"name": "a\tb\u001b[31m\nsound: w", "shape": [9]}]})";

TEST_F(PlanProgram, ShowsUnsoundPlansToo) {
  Put("backwards.json", kBackwards);
  EXPECT_EQ(Run("plan draw backwards.json").exit_code, 0);
  const Ended verdict = Run("plan verify backwards.json");
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_TRUE(Has(verdict.out, "a\\x09b\\x1B[31m\\x0Asound: w")) << verdict.out;
  EXPECT_EQ(Run("plan draw backwards.json --svg plan.svg").exit_code, 0);
}

TEST_F(PlanProgram, DrawsOnTheTerminalAndAsSvg) {
  const Ended drawn = Run("plan draw --model 12 --ranks 3");
  EXPECT_TRUE(Has(drawn.out, "parameters 000011112222")) << drawn.out;
  EXPECT_TRUE(Has(drawn.out, "a letter is a shard, ")) << drawn.out;
  EXPECT_TRUE(Has(Run("plan draw --model gpt2-124m --ranks 512").out, "a letter is 8 or 9 neighbouring shards, "));
  EXPECT_TRUE(Has(Run("plan draw --model gpt2-124m --ranks 124").out, "a letter is 2 neighbouring shards, "));
  ASSERT_EQ(Run("plan draw --model gpt2-124m --ranks 4 --plan per-parameter --svg plan.svg").exit_code, 0);
  const std::string svg = Contents(folder() / "plan.svg");
  EXPECT_TRUE(Has(svg, "<svg xmlns") && Has(svg, "shard 3")) << svg.substr(0, 300);
}

TEST_F(PlanProgram, ReadsSafetensorsByTheirHeaders) {
  const std::string header = R"({"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})";
  const auto with = [&](const std::string& text, size_t data) {
    std::string file(8, '\0');
    file[0] = static_cast<char>(text.size());
    return file + text + std::string(data, '\0');
  };
  Put("model.safetensors", with(header, 12));
  EXPECT_TRUE(Has(Run("plan verify --model model.safetensors --ranks 2").out, "1 tensors, 6 elements"));
  Put("model.safetensors.index.json", R"({"weight_map": {"w": "model.safetensors"}})");
  EXPECT_EQ(Run("plan verify --model model.safetensors.index.json --ranks 2").exit_code, 0);
  const Ended read = Run("plan read model.safetensors.index.json --out read.json");
  EXPECT_TRUE(Has(read.out, "Hugging Face index: 1 files, 1 tensors\nsound: ")) << read.out << read.err;
  EXPECT_EQ(Run("plan verify read.json").exit_code, 0);
  fs::rename(folder() / "model.safetensors", folder() / "moved.safetensors");
  const Ended missing = Run("plan read model.safetensors.index.json");
  EXPECT_TRUE(Has(missing.out, "fault: file model.safetensors is missing, with 1 tensors")) << missing.out;
  EXPECT_EQ(missing.exit_code, 1);
  fs::rename(folder() / "moved.safetensors", folder() / "model.safetensors");
  Put("short.safetensors", with(header, 11));
  EXPECT_TRUE(Has(Run("plan verify --model short.safetensors --ranks 2").err, "tensors end at byte 12: expected 11"));
  Put("up.index.json", R"({"weight_map": {"w": "../model.safetensors"}})");
  EXPECT_TRUE(Has(Run("plan verify --model up.index.json --ranks 2").err, "a file beside the index"));
  Put("huge.safetensors", std::string(8, '\x7f'));
  EXPECT_TRUE(Has(Run("plan verify --model huge.safetensors --ranks 2").err, "a header of 9187201950435737471 bytes"));
}

TEST_F(PlanProgram, RefusesBadInputInASentence) {
  const std::pair<const char*, const char*> bad[] = {
      {"plan verify missing.json", "plan missing.json: expected a file that can be read"},
      {"plan verify folder", "plan folder: expected a file that can be read"},
      {"plan verify cut.json", "plan cut.json: line 1"},
      {"plan verify deep.json", "at most 64 levels"},
      {"plan verify twice.json", "got \"subject\" twice"},
      {"plan verify", "expected a plan's file, or --model and --ranks"},
      {"plan make --model tiny", "--ranks"},
      {"plan make --model tiny --ranks 2 --plan contigous", "--plan: expected contiguous, padded"},
      {"plan make --model tiny --ranks 4 --replicas 3", "--replicas: expected a divisor of the 4 ranks, got 3"},
      {"plan make --model nosuch --ranks 2", "--model: expected tiny, small, gpt2-124m"},
      {"plan make --model gpt:depth=3 --ranks 2", "got 'depth=3'"},
      {"plan make --model 1e30 --ranks 2", "from 1 to 2^56"},
      {"plan make --model tiny --ranks 2 --plan block-contiguous --owners tail=1", "--owners: expected embedding="},
      {"plan cost --model tiny --ranks 2 --link fast", "--link: expected a number and one of"},
      {"plan cost --model tiny --ranks 2 --optimizer adamx", "--optimizer: expected adam, adamw"},
      {"plan draw --model tiny --ranks 2 --state weights", "--state: expected parameters"},
      {"plan cost plan.json --stage 1", "--stage: expected none beside the plan plan.json"},
      {"plan verify plan.json --replicas 2", "--replicas: expected none beside the plan plan.json"},
      {"plan make --model tiny --ranks 2 --alignment 8", "--alignment: expected --plan padded with it, got contiguous"},
      {"plan make --model tiny --ranks 2 --owners balanced", "--owners: expected a block plan with it, got contiguous"},
      {"plan make --model '' --ranks 2", "perhaps a variable of a script is empty"},
      {"plan verify --juint x",
       "expected an option of plan verify, got '--juint', which is unknown (did you mean --junit?)"},
      {"plan read missing", "checkpoint missing: expected a regular file that can be read"},
      {"plan read folder",
       "checkpoint folder: expected a checkpoint with one of: latest of zerocts, .metadata of torch"},
      {"plan read plain.txt", "checkpoint plain.txt: expected a folder, or a file that is one of"},
      {"plan verfy", "expected a subcommand, got 'verfy', which is unknown (did you mean verify?)"},
      {"plan", "plan --help"},
  };
  for (const auto& [arguments, phrase] : bad) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_TRUE(Has(ended.err, phrase)) << arguments << "\n" << ended.err;
  }
}

}  // namespace
}  // namespace zerocts

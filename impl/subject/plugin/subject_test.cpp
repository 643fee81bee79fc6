// The built plugin through the C ABI, as any host would use it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "impl/subject/for_test/subject_host.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/plan/value/strategy.hpp"

namespace zerocts::engine {
namespace {

struct Outcome {
  int code = ZEROCTS_OK;
  std::string text;
};

Outcome Take(zerocts_status* status) {
  Outcome outcome{Native().status_code(status), Native().status_message(status)};
  Native().status_free(status);
  return outcome;
}

void Check(zerocts_status* status) {
  const Outcome outcome = Take(status);
  if (outcome.code != ZEROCTS_OK) throw std::runtime_error(outcome.text);
}

/// Opens one rank of one with `change` made to sensible arguments.
Outcome OpenWith(const std::function<void(OpenForTest&)>& change) {
  TestStore store;
  SubjectHostForTest host(store);
  OpenForTest open(host.table(), 0, 1, {3, 2});
  change(open);
  Outcome outcome = Take(Native().open(&open.args));
  if (open.args.engine) Native().close(open.args.engine);
  return outcome;
}

TEST(NativeSubject, ShowsOneSymbol) {
  FILE* pipe = popen(NM " -D --defined-only " NATIVE_SUBJECT, "r");
  ASSERT_TRUE(pipe);
  std::string symbols;
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) symbols += line;
  ASSERT_EQ(pclose(pipe), 0);
  EXPECT_NE(symbols.find("zerocts_subject_v1"), std::string::npos);
  EXPECT_EQ(std::count(symbols.begin(), symbols.end(), '\n'), 1) << symbols;
}

TEST(NativeSubject, CapabilitiesAreJson) {
  const auto capabilities = nlohmann::json::parse(Native().capabilities);
  EXPECT_EQ(capabilities.at("stages"), nlohmann::json({0, 1, 2, 3}));
}

TEST(NativeSubject, OffersOnlyTheStageOfAStrategyThatIsChosen) {
  const auto with_option = nlohmann::json::parse(Native().capabilities).at("with_option");
  for (const Strategy& strategy : kStrategies) {
    nlohmann::json offered = {{"stages", {strategy.stage}}};
    if (strategy.hybrid) {
      offered["min_replicas"] = 2;
    } else {
      offered["replicas"] = false;
    }
    EXPECT_EQ(with_option.at(fmt::format("strategy={}", strategy.name)), offered) << strategy.name;
  }
}

TEST(NativeSubject, TrainsOnThreeRanks) {
  TestStore store;
  std::vector<std::string> errors(3);
  std::vector<std::vector<float>> parameters(3, std::vector<float>(2));
  std::vector<uint32_t> pieces(3);
  std::vector<std::jthread> ranks;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        SubjectHostForTest host(store);
        OpenForTest open(host.table(), rank, 3, {3, 2});
        Check(Native().open(&open.args));
        zerocts_engine* engine = open.args.engine;

        const float gradient = 2.0f * static_cast<float>(rank + 1);  // mean 4
        const std::vector<float> gradients(3, gradient);
        const void* pointers[] = {gradients.data(), gradients.data()};
        zerocts_accumulate_args accumulate{sizeof accumulate, engine, 0, 0, 2, pointers};
        Check(Native().accumulate(&accumulate));
        zerocts_step_args step{sizeof step, engine, 0};
        Check(Native().step(&step));

        zerocts_read_parameter_args read{sizeof read, engine, 1, 0, parameters[rank].data(), 2 * sizeof(float)};
        Check(Native().read_parameter(&read));
        for (uint32_t p = 0; p < 2; ++p) {
          zerocts_interval interval{};
          zerocts_owned_args owned{sizeof owned, engine, p, 1, &interval};
          Check(Native().owned(&owned));
          pieces[rank] += owned.count;
          if (owned.count == 0) continue;
          std::vector<float> masters(interval.end - interval.begin);
          zerocts_read_state_args state{sizeof state,   engine,       "master",      p, 0,
                                        interval.begin, interval.end, masters.data()};
          Check(Native().read_state(&state));
          if (masters[0] != -1.0f) throw std::runtime_error("a master is " + std::to_string(masters[0]));
        }

        zerocts_memory_args memory{sizeof memory, engine};
        Check(Native().memory(&memory));
        const std::vector<int64_t> reported = {
            static_cast<int64_t>(memory.parameter_bytes), static_cast<int64_t>(memory.gradient_bytes),
            static_cast<int64_t>(memory.optimizer_bytes), static_cast<int64_t>(memory.buffer_bytes)};
        if (reported != host.held_bytes()) throw std::runtime_error("memory reported is not memory held");
        Native().close(engine);
        if (host.held_bytes() != std::vector<int64_t>(4)) throw std::runtime_error("memory is left over after close");
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  }
  ranks.clear();
  EXPECT_EQ(errors, std::vector<std::string>(3));
  EXPECT_EQ(parameters, (std::vector<std::vector<float>>(3, {-1, -1})));  // 1 - 0.5 * 4
  EXPECT_EQ(pieces, (std::vector<uint32_t>{1, 2, 1}));
}

TEST(NativeSubject, RefusesWhatItDoesNotOffer) {
  const auto expect = [](int code, const std::string& text, const std::function<void(OpenForTest&)>& change) {
    const Outcome outcome = OpenWith(change);
    EXPECT_EQ(outcome.code, code) << outcome.text;
    EXPECT_NE(outcome.text.find(text), std::string::npos) << outcome.text;
  };
  expect(ZEROCTS_OK, "", [](OpenForTest&) {});
  expect(ZEROCTS_INVALID_ARGUMENT, "stage is 4: expected 0..3", [](OpenForTest& o) { o.args.stage = 4; });
  expect(ZEROCTS_UNIMPLEMENTED, "at most 1024 ranks", [](OpenForTest& o) { o.args.world_size = 1025; });
  expect(ZEROCTS_INVALID_ARGUMENT, "world_size is 0", [](OpenForTest& o) { o.args.world_size = 0; });
  expect(ZEROCTS_INVALID_ARGUMENT, "rank is 1: expected 0..0", [](OpenForTest& o) { o.args.rank = 1; });
  expect(ZEROCTS_INVALID_ARGUMENT, "micro_batches is 0", [](OpenForTest& o) { o.args.micro_batches = 0; });
  expect(ZEROCTS_INVALID_ARGUMENT, "batch is 1048577: expected at most 1048576",
         [](OpenForTest& o) { o.args.batch = (1u << 20) + 1; });
  expect(ZEROCTS_INVALID_ARGUMENT, "max_norm is -1", [](OpenForTest& o) { o.args.max_norm = -1; });
  expect(ZEROCTS_INVALID_ARGUMENT, "deadline_ms is 0", [](OpenForTest& o) { o.args.deadline_ms = 0; });
  expect(ZEROCTS_INVALID_ARGUMENT, "bucket_cap_bytes is", [](OpenForTest& o) { o.args.bucket_cap_bytes = UINT64_MAX; });
  expect(ZEROCTS_INVALID_ARGUMENT, "replicas is 2: expected a divisor", [](OpenForTest& o) { o.args.replicas = 2; });
  expect(ZEROCTS_INVALID_ARGUMENT, "tensor is 2: expected a divisor", [](OpenForTest& o) { o.args.tensor = 2; });
  expect(ZEROCTS_INVALID_ARGUMENT, "tensor is 2, and gradients are given: expected a model", [](OpenForTest& o) {
    o.args.world_size = 2;
    o.args.tensor = 2;
  });
  expect(ZEROCTS_UNIMPLEMENTED, "tensor_parts 1 is not in this build, which has 0",
         [](OpenForTest& o) { o.args.tensor_parts = ZEROCTS_PARTS_CEIL; });
  expect(ZEROCTS_INVALID_ARGUMENT, "offload needs a shard", [](OpenForTest& o) {
    o.args.stage = 0;
    o.args.offload = 1;
  });
  expect(ZEROCTS_UNIMPLEMENTED, "gradient_sync 7", [](OpenForTest& o) { o.args.gradient_sync = 7; });
  expect(ZEROCTS_UNIMPLEMENTED, "clip_norm 7", [](OpenForTest& o) { o.args.clip_norm = 7; });
  expect(ZEROCTS_INVALID_ARGUMENT, "tied to parameter 1", [](OpenForTest& o) { o.parameters[0].tied_to = 2; });
  expect(ZEROCTS_UNIMPLEMENTED, "flags 2", [](OpenForTest& o) { o.parameters[0].flags = 2; });
  expect(ZEROCTS_UNIMPLEMENTED, "param_dtype 7", [](OpenForTest& o) { o.args.param_dtype = 7; });
  expect(ZEROCTS_UNIMPLEMENTED, "optimizer 7", [](OpenForTest& o) { o.args.optimizer = 7; });
  expect(ZEROCTS_UNIMPLEMENTED, "reduction order star", [](OpenForTest& o) { o.args.reduction_order = "star"; });
  expect(ZEROCTS_UNIMPLEMENTED, "plan round_robin is unknown", [](OpenForTest& o) { o.args.plan = "round_robin"; });
  expect(ZEROCTS_INVALID_ARGUMENT, "in group 1: expected 0..0", [](OpenForTest& o) { o.parameters[0].group = 1; });
  expect(ZEROCTS_INVALID_ARGUMENT, "numel 4, but its shape [3] has 3",
         [](OpenForTest& o) { o.parameters[0].numel = 4; });
  expect(ZEROCTS_INVALID_ARGUMENT, "struct_size is 8", [](OpenForTest& o) { o.args.struct_size = 8; });
}

TEST(NativeSubject, RefusesOptionsThatItDoesNotKnow) {
  const auto with = [](const char* key, const char* value) {
    return OpenWith([=](OpenForTest& o) { o.AddOption(key, value); });
  };
  EXPECT_EQ(
      with("color", "red").text,
      "option color is unknown; this subject has: comm=auto|threads|shm|mpi|shm+mpi|nccl, ranks_per_host=N[,N], "
      "device=host|sim|cuda, gpu=N|rank, nccl_reduce=exact|native, nccl_share_gpu=off|on, nccl_register=off|on, "
      "math=exact|fast|tf32, strategy=NoShard|ShardGradOp|FullShard|HybridShard, sim_seed=N, sim_capacity_bytes=N");
  EXPECT_EQ(with("color", "red").code, ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(with("math", "exact").code, ZEROCTS_OK);
  EXPECT_EQ(with("math", "loose").text, "option math is \"loose\": expected exact, fast or tf32");
  EXPECT_EQ(with("math", "fast").text, "option math is exact on every device but cuda, got device=host");
  EXPECT_EQ(with("comm", "threads").code, ZEROCTS_OK);
  EXPECT_EQ(with("comm", "shm").code, ZEROCTS_OK);
  EXPECT_EQ(with("ranks_per_host", "2").text,
            "option ranks_per_host is for comm=shm+mpi, which has hosts, but comm is auto");
  for (const char* value : {"", "0", "2,", "two", "2;3"}) {
    EXPECT_EQ(with("ranks_per_host", value).text,
              fmt::format("option ranks_per_host is \"{}\": expected numbers from 1 on, such as 2 or 2,3", value));
  }
  EXPECT_EQ(with("comm", "pigeon").code, ZEROCTS_UNIMPLEMENTED);
  EXPECT_EQ(with("device", "tpu").code, ZEROCTS_UNIMPLEMENTED);
  EXPECT_EQ(with("gpu", "first").text, "option gpu is \"first\": expected a number from 0 on");
  EXPECT_EQ(with("comm", "nccl").text, "comm nccl: needs device cuda, got device host");
  EXPECT_EQ(with("nccl_reduce", "native").text, "option nccl_reduce=native needs comm=nccl, got comm=auto");
  const auto native = [](OpenForTest& o) {
    o.AddOption("comm", "nccl");
    o.AddOption("nccl_reduce", "native");
  };
  EXPECT_EQ(
      OpenWith(native).text,
      "option nccl_reduce=native adds in the order ring, and no replicas: got the order rank and 1 replicas; expected "
      "ring and 1, or nccl_reduce=exact");
  EXPECT_EQ(with("nccl_reduce", "fast").text, "option nccl_reduce is \"fast\": expected exact or native");
  EXPECT_EQ(with("strategy", "FullShard").text, "strategy FullShard is stage 3, but stage 1 was asked");
  EXPECT_EQ(with("device", "sim").code, ZEROCTS_OK);
  EXPECT_EQ(with("sim_seed", "many").text, "option sim_seed is \"many\": expected a number from 0 on");
  EXPECT_EQ(with("strategy", "NoShard").text, "strategy NoShard is stage 0, but stage 1 was asked");
  EXPECT_EQ(with("strategy", "full_shard").text,
            "option strategy is \"full_shard\": expected NoShard, ShardGradOp, FullShard or HybridShard");
  EXPECT_EQ(with("comm", "nccl-native").text,
            "option comm is \"nccl-native\": expected comm=nccl nccl_reduce=native for that transport");
  const auto no_shard = [](OpenForTest& o) {
    o.args.stage = 0;
    o.AddOption("strategy", "NoShard");
  };
  EXPECT_EQ(OpenWith(no_shard).code, ZEROCTS_OK);
}

TEST(NativeSubject, SaysWhatADeviceHasNoRoomFor) {
  const Outcome outcome = OpenWith([](OpenForTest& o) {
    o.AddOption("device", "sim");
    o.AddOption("sim_capacity_bytes", "16");
  });
  EXPECT_EQ(outcome.code, ZEROCTS_OUT_OF_MEMORY);
  EXPECT_NE(outcome.text.find("16"), std::string::npos) << outcome.text;
}

TEST(NativeSubject, NamesTheRankThatDidNotOpen) {
  TestStore store;
  SubjectHostForTest host(store);
  OpenForTest open(host.table(), 0, 2, {3});
  open.args.deadline_ms = 100;
  const Outcome outcome = Take(Native().open(&open.args));
  EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.text.find("join #1 (threads): waited "), 0u) << outcome.text;
  EXPECT_NE(outcome.text.find("; arrived 0; missing 1"), std::string::npos) << outcome.text;
}

TEST(NativeSubject, ComputesItsOwnGradientsOfAModel) {
  const ModelSpec spec = MlpSpec{.vocab = 5, .context = 2, .embedding = 3, .hidden = {4}};
  const auto parameters = ModelParameters(spec);
  std::vector<int64_t> numel;
  for (const ParameterSpec& parameter : parameters) numel.push_back(parameter.numel());
  const std::string model = ToJson(spec).dump();
  const auto* extension = static_cast<const zerocts_model_extension*>(Native().get_extension(ZEROCTS_MODEL_EXTENSION));
  ASSERT_TRUE(extension);
  EXPECT_FALSE(Native().get_extension("zerocts.model/2"));

  for (const uint32_t dtype : {ZEROCTS_FP32, ZEROCTS_BF16}) {
    TestStore store;
    SubjectHostForTest host(store);
    OpenForTest open(host.table(), 0, 1, numel);
    for (size_t p = 0; p < parameters.size(); ++p) {
      open.names[p] = parameters[p].name;
      open.shapes[p] = parameters[p].shape;
      open.parameters[p].name = open.names[p].c_str();
      open.parameters[p].shape = open.shapes[p].data();
      open.parameters[p].ndim = static_cast<uint32_t>(open.shapes[p].size());
      for (size_t i = 0; i < open.initial[p].size(); ++i)
        open.initial[p][i] = static_cast<float>(static_cast<int>(i * 7 % 5) - 2) / 4;
    }
    open.args.model = model.c_str();
    open.args.param_dtype = dtype;
    open.args.micro_batches = 2;
    Check(Native().open(&open.args));

    const int32_t inputs[] = {0, 1, 2, 3, 4, 0};
    const int32_t targets[] = {2, 4, 1};
    std::vector<double> losses;
    for (uint64_t step = 0; step < 30; ++step) {
      double loss = 0;
      for (uint32_t k = 0; k < 2; ++k) {
        zerocts_forward_backward_args args{sizeof args, open.args.engine, step, k, 3, 2, 0, inputs, targets};
        Check(extension->forward_backward(&args));
        loss += args.loss / 2;
      }
      losses.push_back(loss);
      zerocts_step_args step_args{sizeof step_args, open.args.engine, step};
      Check(Native().step(&step_args));
    }
    EXPECT_LT(losses.back(), 0.5 * losses.front());
    const int32_t outside[] = {0, 1, 2, 3, 4, 9};
    zerocts_forward_backward_args bad{sizeof bad, open.args.engine, 30, 0, 3, 2, 0, outside, targets};
    EXPECT_EQ(Take(extension->forward_backward(&bad)).code, ZEROCTS_INVALID_ARGUMENT);
    Native().close(open.args.engine);
  }

  const Outcome wrong_shape = OpenWith([&](OpenForTest& o) { o.args.model = model.c_str(); });
  EXPECT_EQ(wrong_shape.code, ZEROCTS_INVALID_ARGUMENT);
  const Outcome not_json = OpenWith([&](OpenForTest& o) { o.args.model = "mlp"; });
  EXPECT_EQ(not_json.text, "model: line 1, column 1: expected a value, got \"m\"");
}

}  // namespace
}  // namespace zerocts::engine

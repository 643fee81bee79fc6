// The specimens against the single-process trainer, on ranks that are threads of this test: so that what judges others,
// and what mutants are made of, is right by itself.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/specimen/thread_host.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

const zerocts_subject& Load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return *static_cast<const zerocts_subject*>(dlsym(library, ZEROCTS_SUBJECT_SYMBOL));
}
const zerocts_subject& Minimal() {
  static const zerocts_subject& subject = Load(ZEROCTS_MINIMAL);
  return subject;
}
const zerocts_subject& Full() {
  static const zerocts_subject& subject = Load(ZEROCTS_FULL);
  return subject;
}

/// The arguments of open, with the memory that they point to.
struct OpenArgs {
  OpenArgs(const Experiment& e, const zerocts_host* host, int rank, uint32_t stage, uint64_t bucket_cap_bytes) {
    for (size_t p = 0; p < e.parameters.size(); ++p) initial.push_back(InitialValuesOf(e, static_cast<int>(p)));
    for (size_t p = 0; p < e.parameters.size(); ++p) {
      const ParameterSpec& spec = e.parameters[p];
      parameters.push_back({sizeof(zerocts_parameter), spec.name.c_str(), static_cast<uint32_t>(spec.group),
                            static_cast<uint32_t>(spec.shape.size()), spec.shape.data(), spec.numel(),
                            initial[p].data()});
    }
    for (const HyperParameters& h : e.groups) groups.push_back(GroupOf(h));
    for (const zerocts_parameter& p : parameters) parameter_pointers.push_back(&p);
    for (const zerocts_group& g : groups) group_pointers.push_back(&g);
    args.struct_size = sizeof args;
    args.host = host;
    args.rank = static_cast<uint32_t>(rank);
    args.world_size = static_cast<uint32_t>(e.world_size);
    args.stage = stage;
    args.param_dtype = e.precision == Precision::kFp32 ? ZEROCTS_FP32 : ZEROCTS_BF16;
    args.optimizer = e.optimizer == OptimizerKind::kSgd ? ZEROCTS_SGD : ZEROCTS_ADAMW;
    args.micro_batches = static_cast<uint32_t>(e.micro_batches);
    args.max_norm = e.max_norm;
    args.clip_epsilon = e.clip_epsilon;
    args.reduction_order = "rank";
    args.plan = "";
    args.bucket_cap_bytes = bucket_cap_bytes;
    args.deadline_ms = 20000;
    args.n_parameters = static_cast<uint32_t>(parameters.size());
    args.n_groups = static_cast<uint32_t>(groups.size());
    args.parameters = parameter_pointers.data();
    args.groups = group_pointers.data();
  }
  OpenArgs(const OpenArgs&) = delete;

  static zerocts_group GroupOf(const HyperParameters& h) {
    return {sizeof(zerocts_group), h.lr, h.weight_decay, h.momentum, h.beta1, h.beta2, h.eps};
  }

  std::vector<std::vector<float>> initial;
  std::vector<zerocts_parameter> parameters;
  std::vector<zerocts_group> groups;
  std::vector<const zerocts_parameter*> parameter_pointers;
  std::vector<const zerocts_group*> group_pointers;
  zerocts_open_args args{};
};

/// One rank of a subject; every call throws the subject's sentence when it fails.
class Rank {
 public:
  Rank(const zerocts_subject& subject, const Experiment& e, Board& board, int rank, uint32_t stage,
       uint64_t bucket_cap_bytes)
      : subject_(subject), experiment_(e), rank_(rank), host_(board) {
    OpenArgs open(e, host_.table(), rank, stage, bucket_cap_bytes);
    Try(subject.open(&open.args));
    engine_ = open.args.engine;
  }
  Rank(const Rank&) = delete;
  ~Rank() {
    subject_.close(engine_);
    EXPECT_EQ(host_.blocks(), 0u) << "memory that close left behind";
  }

  void SetGroups(int64_t step) {
    for (const HyperParameterChange& change : experiment_.changes) {
      if (change.step != step) continue;
      const zerocts_group values = OpenArgs::GroupOf(change.values);
      zerocts_set_group_args args{sizeof args, engine_, static_cast<uint32_t>(change.group), 0, &values};
      Try(subject_.set_group(&args));
    }
  }

  void Accumulate(int64_t step, int micro_batch) {
    std::vector<std::vector<float>> gradients;
    std::vector<std::vector<uint16_t>> narrow(experiment_.parameters.size());
    std::vector<const void*> pointers;
    for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
      std::vector<float>& gradient = gradients.emplace_back(experiment_.parameters[p].numel());
      FillGradient(experiment_, step, rank_ * experiment_.micro_batches + micro_batch, static_cast<int>(p),
                   gradient.data());
      for (const float x : gradient) narrow[p].push_back(ToBf16(x).bits);
      pointers.push_back(experiment_.precision == Precision::kFp32 ? static_cast<const void*>(gradient.data())
                                                                   : narrow[p].data());
    }
    zerocts_accumulate_args args{sizeof args,
                                 engine_,
                                 static_cast<uint64_t>(step),
                                 static_cast<uint32_t>(micro_batch),
                                 static_cast<uint32_t>(pointers.size()),
                                 pointers.data()};
    Try(subject_.accumulate(&args));
  }

  zerocts_step_args Step(uint64_t step) {
    zerocts_step_args args{sizeof args, engine_, step, 0, 0};
    Try(subject_.step(&args));
    return args;
  }

  std::vector<float> Parameter(int p) {
    std::vector<float> values(experiment_.parameters[p].numel());
    const bool fp32 = experiment_.precision == Precision::kFp32;
    std::vector<uint16_t> narrow(values.size());
    zerocts_read_parameter_args args{sizeof args,
                                     engine_,
                                     static_cast<uint32_t>(p),
                                     0,
                                     fp32 ? static_cast<void*>(values.data()) : narrow.data(),
                                     values.size() * (fp32 ? 4 : 2)};
    Try(subject_.read_parameter(&args));
    if (!fp32)
      for (size_t i = 0; i < values.size(); ++i) values[i] = ToFloat(Bf16{narrow[i]});
    return values;
  }

  std::vector<zerocts_interval> Owned(int p) {
    std::vector<zerocts_interval> intervals(4);
    zerocts_owned_args args{sizeof args, engine_, static_cast<uint32_t>(p), 4, intervals.data(), 0, 0};
    Try(subject_.owned(&args));
    intervals.resize(args.count);
    return intervals;
  }

  std::vector<float> State(const char* state, int p, zerocts_interval interval) {
    std::vector<float> values(interval.end - interval.begin);
    zerocts_read_state_args args{sizeof args, engine_,        state,        static_cast<uint32_t>(p),
                                 0,           interval.begin, interval.end, values.data()};
    Try(subject_.read_state(&args));
    return values;
  }

  void ExpectMemoryIsCounted() {
    zerocts_memory_args args{sizeof args, engine_, 0, 0, 0, 0};
    Try(subject_.memory(&args));
    EXPECT_EQ(args.parameter_bytes, host_.held_bytes(ZEROCTS_MEMORY_PARAMETER));
    EXPECT_EQ(args.gradient_bytes, host_.held_bytes(ZEROCTS_MEMORY_GRADIENT));
    EXPECT_EQ(args.optimizer_bytes, host_.held_bytes(ZEROCTS_MEMORY_OPTIMIZER));
    EXPECT_EQ(args.buffer_bytes, host_.held_bytes(ZEROCTS_MEMORY_BUFFER));
  }

 private:
  void Try(zerocts_status* status) {
    if (status == nullptr) return;
    const std::string message = subject_.status_message(status);
    subject_.status_free(status);
    throw std::runtime_error(message);
  }

  const zerocts_subject& subject_;
  const Experiment& experiment_;
  const int rank_;
  ThreadHost host_;
  zerocts_engine* engine_ = nullptr;
};

bool SameBits(const std::vector<float>& a, const float* b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (Bits(a[i]) != Bits(b[i]) && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

/// Where a case differs from the trainer, one line each, over all ranks and steps.
class Comparison {
 public:
  Comparison(const zerocts_subject& subject, const Experiment& e, uint32_t stage, uint64_t bucket_cap_bytes)
      : subject_(subject), experiment_(e), stage_(stage), bucket_cap_bytes_(bucket_cap_bytes) {}

  std::vector<std::string> Run() {
    expected_ = Train(
        experiment_, UniformOrder(experiment_, RankFold(experiment_.world_size, experiment_.micro_batches)), HostOps());
    for (const ParameterSpec& spec : experiment_.parameters) owners_.emplace_back(spec.numel(), 0);
    Board board(experiment_.world_size);
    RunRanks(experiment_.world_size, [&](int rank) {
      try {
        RunRank(board, rank);
      } catch (const std::exception& error) {
        Differs(rank, error.what());
      }
    });
    for (const std::vector<int>& owners : owners_) {
      for (const int count : owners) {
        if (count != (stage_ == 0 ? experiment_.world_size : 1))
          differences_.push_back("an element has " + std::to_string(count) + " owners");
      }
    }
    return differences_;
  }

 private:
  void RunRank(Board& board, int r) {
    Rank rank(subject_, experiment_, board, r, stage_, bucket_cap_bytes_);
    CountOwned(rank);
    for (const StepTrace& expected : expected_) {
      rank.SetGroups(expected.step);
      for (int k = 0; k < experiment_.micro_batches; ++k) rank.Accumulate(expected.step, k);
      const zerocts_step_args scalars = rank.Step(static_cast<uint64_t>(expected.step));
      CompareStep(rank, r, expected, scalars);
    }
    rank.ExpectMemoryIsCounted();
  }

  void CountOwned(Rank& rank) {
    for (size_t p = 0; p < owners_.size(); ++p) {
      for (const zerocts_interval& interval : rank.Owned(static_cast<int>(p))) {
        const std::lock_guard lock(mutex_);
        for (int64_t i = interval.begin; i < interval.end; ++i) ++owners_[p].at(i);
      }
    }
  }

  void CompareStep(Rank& rank, int r, const StepTrace& expected, const zerocts_step_args& scalars) {
    const bool full = &subject_ == &Full(), sgd = experiment_.optimizer == OptimizerKind::kSgd;
    const std::string at = "step " + std::to_string(expected.step) + ": ";
    if (full && !SameBits({scalars.grad_norm, scalars.clip_coefficient},
                          std::vector{expected.grad_norm, expected.clip_coefficient}.data())) {
      Differs(r, at + "norm " + std::to_string(scalars.grad_norm) + ", expected " + std::to_string(expected.grad_norm));
    }
    for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
      const std::string name = " of " + experiment_.parameters[p].name;
      const int parameter = static_cast<int>(p);
      if (!SameBits(rank.Parameter(parameter), expected.parameter[p].data())) Differs(r, at + "parameter" + name);
      const auto compare_state = [&](const char* state, const std::vector<float>& values) {
        for (const zerocts_interval& interval : rank.Owned(parameter)) {
          if (!SameBits(rank.State(state, parameter, interval), values.data() + interval.begin))
            Differs(r, at + state + name);
        }
      };
      compare_state("master", expected.master[p]);
      compare_state(sgd ? "momentum" : "exp_avg", expected.moment1[p]);
      if (!sgd) compare_state("exp_avg_sq", expected.moment2[p]);
      if (full) compare_state("gradient", expected.gradient[p]);
    }
  }

  void Differs(int rank, const std::string& what) {
    const std::lock_guard lock(mutex_);
    differences_.push_back("rank " + std::to_string(rank) + ", " + what);
  }

  const zerocts_subject& subject_;
  const Experiment& experiment_;
  const uint32_t stage_;
  const uint64_t bucket_cap_bytes_;
  std::vector<StepTrace> expected_;
  std::mutex mutex_;
  std::vector<std::vector<int>> owners_;  // [parameters][numel]
  std::vector<std::string> differences_;
};

template <typename T>
T Any(std::initializer_list<T> choices) {
  return *rc::gen::elementOf(std::vector<T>(choices));
}

HyperParameters AnyHyperParameters() {
  return {.lr = Any({0.5f, 0.125f, 0.01f}),
          .weight_decay = Any({0.0f, 0.1f}),
          .momentum = Any({0.0f, 0.9f}),
          .beta1 = Any({0.9f, 0.5f})};
}

/// Small odd shapes, scalars and empty parameters among them; one or two groups, one of which may have no parameter.
Experiment AnyExperiment(Precision precision, OptimizerKind optimizer) {
  Experiment e;
  e.precision = precision;
  e.optimizer = optimizer;
  e.groups = {AnyHyperParameters(), AnyHyperParameters()};
  const int n_parameters = *rc::gen::inRange(1, 6);
  for (int p = 0; p < n_parameters; ++p) {
    std::vector<int64_t> shape;
    if (Any({true, true, true, false})) shape = {*rc::gen::inRange<int64_t>(0, 12), Any<int64_t>({1, 3})};
    e.parameters.push_back({std::string(1, static_cast<char>('a' + p)), shape, Any({0, 1})});
  }
  e.initial = InitialValues::kUniform;
  e.gradients = Any({GradientSource::kIndexCoded, GradientSource::kUniform, GradientSource::kZero});
  e.world_size = *rc::gen::inRange(1, 6);
  e.micro_batches = *rc::gen::inRange(1, 4);
  e.steps = *rc::gen::inRange(1, 4);
  e.seed = static_cast<uint64_t>(*rc::gen::inRange(0, 1000));
  if (e.steps > 1) e.changes = {{1, Any({0, 1}), AnyHyperParameters()}};
  return e;
}

void ExpectEqualsTrainer(const zerocts_subject& subject, const Experiment& e, uint32_t stage,
                         uint64_t bucket_cap_bytes) {
  RC_LOG() << "W=" << e.world_size << " K=" << e.micro_batches << " stage " << stage << " bucket " << bucket_cap_bytes
           << "\n";
  RC_ASSERT(Comparison(subject, e, stage, bucket_cap_bytes).Run() == std::vector<std::string>{});
}

RC_GTEST_PROP(Minimal, EqualsTheTrainer, ()) {
  ExpectEqualsTrainer(Minimal(), AnyExperiment(Precision::kFp32, OptimizerKind::kSgd), 1, 0);
}

RC_GTEST_PROP(Full, EqualsTheTrainer, ()) {
  Experiment e =
      AnyExperiment(Any({Precision::kFp32, Precision::kBf16}), Any({OptimizerKind::kSgd, OptimizerKind::kAdamW}));
  e.max_norm = Any({0.0f, 0.5f, 1e6f});
  ExpectEqualsTrainer(Full(), e, Any({0u, 1u}), Any<uint64_t>({0, 1, 4, 12, 24, 100}));
}

TEST(Full, NormIsExactOverAllExponents) {
  Experiment e;
  e.parameters = {{"p", {257}, 0}};
  e.gradients = GradientSource::kUniform;
  e.world_size = 3;
  for (const int exponent : {-64, -40, 0, 40, 64}) {
    e.gradient_exponent = exponent;
    EXPECT_EQ(Comparison(Full(), e, 1, 0).Run(), std::vector<std::string>{}) << exponent;
  }
}

/// The status code of open with one thing changed, or ZEROCTS_OK.
int CodeOfOpen(const zerocts_subject& subject, const std::function<void(zerocts_open_args&)>& change) {
  Experiment e;
  e.parameters = {{"p", {5}, 0}};
  Board board(1);
  ThreadHost host(board);
  OpenArgs open(e, host.table(), 0, 1, 0);
  change(open.args);
  zerocts_status* status = subject.open(&open.args);
  EXPECT_EQ(host.blocks() > 0, status == nullptr) << "memory that a failed open left behind";
  if (status == nullptr) {
    subject.close(open.args.engine);
    return ZEROCTS_OK;
  }
  EXPECT_NE(subject.status_message(status), std::string());
  const int code = subject.status_code(status);
  subject.status_free(status);
  return code;
}

TEST(Specimens, RefuseWhatTheyDoNotDeclare) {
  for (const zerocts_subject* subject : {&Minimal(), &Full()}) {
    EXPECT_EQ(CodeOfOpen(*subject, [](zerocts_open_args&) {}), ZEROCTS_OK);
    const auto refuses = [&](const std::function<void(zerocts_open_args&)>& change) {
      EXPECT_EQ(CodeOfOpen(*subject, change), ZEROCTS_UNIMPLEMENTED) << subject->name;
    };
    refuses([](zerocts_open_args& a) { a.world_size = 65; });
    refuses([](zerocts_open_args& a) { a.stage = 2; });
    refuses([](zerocts_open_args& a) { a.param_dtype = 3; });
    refuses([](zerocts_open_args& a) { a.optimizer = 3; });
    refuses([](zerocts_open_args& a) { a.reduction_order = "ring"; });
    refuses([](zerocts_open_args& a) { a.plan = "zigzag"; });
    refuses([](zerocts_open_args& a) { a.model = "{}"; });
    EXPECT_EQ(CodeOfOpen(*subject, [](zerocts_open_args& a) { a.world_size = 0; }), ZEROCTS_INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfOpen(*subject, [](zerocts_open_args& a) { a.micro_batches = 0; }), ZEROCTS_INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfOpen(*subject, [](zerocts_open_args& a) { a.n_groups = 0; }), ZEROCTS_INVALID_ARGUMENT);
  }
  const auto minimal_refuses = [](const std::function<void(zerocts_open_args&)>& change) {
    EXPECT_EQ(CodeOfOpen(Minimal(), change), ZEROCTS_UNIMPLEMENTED);
  };
  minimal_refuses([](zerocts_open_args& a) { a.stage = 0; });
  minimal_refuses([](zerocts_open_args& a) { a.param_dtype = ZEROCTS_BF16; });
  minimal_refuses([](zerocts_open_args& a) { a.optimizer = ZEROCTS_ADAMW; });
  minimal_refuses([](zerocts_open_args& a) { a.max_norm = 1; });
  minimal_refuses([](zerocts_open_args& a) { a.bucket_cap_bytes = 64; });
}

TEST(Specimens, SayThatARankIsMissing) {
  Experiment e;
  e.parameters = {{"p", {5}, 0}};
  e.world_size = 2;
  for (const zerocts_subject* subject : {&Minimal(), &Full()}) {
    Board board(2);
    ThreadHost host(board);
    OpenArgs open(e, host.table(), 0, 1, 0);
    open.args.deadline_ms = 50;
    ASSERT_EQ(subject->open(&open.args), nullptr);
    const std::vector<float> gradient(5);
    const void* const gradients[] = {gradient.data()};
    zerocts_accumulate_args accumulate{sizeof accumulate, open.args.engine, 0, 0, 1, gradients};
    ASSERT_EQ(subject->accumulate(&accumulate), nullptr);
    zerocts_step_args step{sizeof step, open.args.engine, 0, 0, 0};
    zerocts_status* status = subject->step(&step);
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(subject->status_code(status), ZEROCTS_DEADLINE_EXCEEDED);
    EXPECT_NE(std::string(subject->status_message(status)).find("nobody put"), std::string::npos);
    subject->status_free(status);
    subject->close(open.args.engine);
  }
}

}  // namespace
}  // namespace zerocts

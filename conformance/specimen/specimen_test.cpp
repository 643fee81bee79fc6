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

#include "conformance/specimen/rank_for_test.hpp"
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
    HostStore store(experiment_.world_size);
    RunRanks(experiment_.world_size, [&](int rank) {
      try {
        RunRank(store, rank);
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
  void RunRank(HostStore& store, int r) {
    Rank rank(subject_, experiment_, store, r, stage_, bucket_cap_bytes_);
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
  HostStore store(1);
  ThreadHost host(store);
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
    HostStore store(2);
    ThreadHost host(store);
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
    EXPECT_NE(std::string(subject->status_message(status)).find("nobody set"), std::string::npos);
    subject->status_free(status);
    subject->close(open.args.engine);
  }
}

}  // namespace
}  // namespace zerocts

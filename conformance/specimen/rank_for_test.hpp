// One rank of a subject, called from a test by what an experiment says.
#pragma once
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/specimen/thread_host.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {

/// The arguments of open, with the memory that they point to.
struct OpenArgs {
  OpenArgs(const Experiment& e, const zerocts_host* host, int rank, uint32_t stage, uint64_t bucket_cap_bytes) {
    for (size_t p = 0; p < e.parameters.size(); ++p) initial.push_back(InitialValuesOf(e, static_cast<int>(p)));
    for (size_t p = 0; p < e.parameters.size(); ++p) {
      const ParameterSpec& spec = e.parameters[p];
      parameters.push_back({.struct_size = sizeof(zerocts_parameter),
                            .name = spec.name.c_str(),
                            .group = static_cast<uint32_t>(spec.group),
                            .ndim = static_cast<uint32_t>(spec.shape.size()),
                            .shape = spec.shape.data(),
                            .numel = spec.numel(),
                            .initial = initial[p].data()});
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
    return {.struct_size = sizeof(zerocts_group),
            .lr = h.lr,
            .weight_decay = h.weight_decay,
            .momentum = h.momentum,
            .beta1 = h.beta1,
            .beta2 = h.beta2,
            .eps = h.eps};
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
  Rank(const zerocts_subject& subject, const Experiment& e, HostStore& store, int rank, uint32_t stage,
       uint64_t bucket_cap_bytes)
      : subject_(subject), experiment_(e), rank_(rank), host_(store) {
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
      gradient.reserve(1);  // never NULL, as from a host
      FillGradient(experiment_, step, rank_ * experiment_.micro_batches + micro_batch, static_cast<int>(p),
                   gradient.data());
      narrow[p].reserve(1);
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

}  // namespace zerocts

// The table that the native engine exports. Each function checks its arguments, calls the engine, and turns what it
// throws into a status.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "conformance/abi/zerocts_subject.h"
#include "impl/subject/checkpoint/checkpoint.hpp"
#include "impl/subject/open/known.hpp"
#include "impl/subject/open/open_engine.hpp"
#include "impl/subject/plugin/status.hpp"

namespace zerocts::engine {
namespace {

constexpr const char* kCapabilities = R"({
  "stages": [0, 1, 2, 3],
  "param_dtypes": ["fp32", "bf16"],
  "optimizers": ["sgd", "adamw", "adam", "lamb", "muon"],
  "world_sizes": [1, 1024],
  "ranks_as_threads": true,
  "reduction_orders": ["rank", "ring", "tree"],
  "plans": ["contiguous", "padded", "per-parameter", "per-parameter-rows", "round-robin", "balanced",
            "block-round-robin", "block-contiguous"],
  "plan_files": true,
  "bucket_cap_bytes": true,
  "clip": true,
  "accumulation": true,
  "groups": true,
  "set_group": true,
  "states": ["master", "momentum", "exp_avg", "exp_avg_sq", "gradient"],
  "models": ["mlp", "gpt"],
  "replicas": true,
  "tensor_parallel": [1, 2, 3, 4, 6, 8, 12],
  "checkpoint_tensor": true,
  "vocab_parallel": true,
  "sequence_parallel": true,
  "kv_heads": true,
  "gradient_sync": ["last_micro_batch", "every_micro_batch"],
  "accumulation_dtypes": ["fp32", "bf16"],
  "reduce_dtypes": ["fp32", "bf16"],
  "clip_norms": ["2", "1", "inf"],
  "clip_formulas": ["min", "torch", "above", "deepspeed", "deepspeed_fp64", "deepspeed_reciprocal"],
  "loss_scaling": ["static", "dynamic"],
  "frozen": true,
  "missing_gradients": true,
  "tied": true,
  "buffers": true,
  "mixed_dtypes": true,
  "sgd_variants": true,
  "offload": ["none", "params", "full"],
  "overlap": true,
  "timeline": true,
  "events": true,
  "traffic": true,
  "memory_estimate": true,
  "checkpoint": true,
  "checkpoint_reshard": true,
  "checkpoint_in_window": true,
  "goes_on_after_refusal": true,
  "experts": true,
  "expert_replicas": true,
  "expert_divisors": ["world", "group"],
  "losses": ["linear", "quadratic"],
  "optimizer_slack_bytes": 0,
  "with_option": {
    "device=cuda": {"device_memory": true},
    "math=fast": {"own_models": true, "inexact_models": true, "formulas": {"muon": "own"}},
    "math=tf32": {"own_models": true, "formulas": {"muon": "own"}},
    "device=sim": {"device_memory": true},
    "strategy=NoShard": {"stages": [0], "replicas": false},
    "strategy=ShardGradOp": {"stages": [2], "replicas": false},
    "strategy=FullShard": {"stages": [3], "replicas": false},
    "strategy=HybridShard": {"stages": [3], "min_replicas": 2}
  }
})";

template <class Args>
Engine& EngineOf(const Args* args) {
  RequireKnown(args);
  if (!args->engine) throw std::invalid_argument("engine is NULL");
  return *args->engine->engine;
}

zerocts_status* Open(zerocts_open_args* args) {
  return StatusOf([=] {
    RequireKnown(args);
    args->engine = OpenEngine(*args).release();
  });
}

HostLoss LossOf(const zerocts_loss& loss) {
  return {
      .forward = [&loss](int p, const void* values) { loss.forward(loss.context, static_cast<uint32_t>(p), values); },
      .backward = [&loss](int p,
                          const void* values) { loss.backward(loss.context, static_cast<uint32_t>(p), values); }};
}

zerocts_status* Accumulate(zerocts_accumulate_args* args) {
  return StatusOf([=] {
    Engine& engine = EngineOf(args);
    const std::vector<const void*> gradients(args->gradients, args->gradients + args->n_gradients);
    std::optional<HostLoss> loss;
    if (const zerocts_loss* given = Known(args).loss) loss = LossOf(*given);
    engine.Accumulate(static_cast<int64_t>(args->step), args->micro_batch, gradients, loss ? &*loss : nullptr);
  });
}

zerocts_status* Step(zerocts_step_args* args) {
  return StatusOf([=] {
    const StepResult result = EngineOf(args).Step(static_cast<int64_t>(args->step));
    GiveBack(args, [&](zerocts_step_args& out) {
      out.grad_norm = result.grad_norm;
      out.clip_coefficient = result.clip_coefficient;
      out.skipped = result.skipped;
      out.loss_scale = result.loss_scale;
    });
  });
}

zerocts_status* SetGroup(zerocts_set_group_args* args) {
  return StatusOf(
      [=] { EngineOf(args).SetGroup(static_cast<int>(args->group), HyperParametersOf(Known(args->values))); });
}

zerocts_status* SetFrozen(zerocts_set_frozen_args* args) {
  return StatusOf([=] { EngineOf(args).SetFrozen(static_cast<int>(args->parameter), args->frozen != 0); });
}

zerocts_status* ReadParameter(zerocts_read_parameter_args* args) {
  return StatusOf([=] {
    EngineOf(args).ReadParameter(static_cast<int>(args->parameter), args->data, static_cast<int64_t>(args->bytes));
  });
}

zerocts_status* Owned(zerocts_owned_args* args) {
  return StatusOf([=] {
    const std::vector<ElementRange> ranges = EngineOf(args).Owned(static_cast<int>(args->parameter));
    args->count = static_cast<uint32_t>(ranges.size());
    for (uint32_t i = 0; i < std::min(args->count, args->capacity); ++i)
      args->intervals[i] = {ranges[i].begin, ranges[i].end};
  });
}

zerocts_status* ReadState(zerocts_read_state_args* args) {
  return StatusOf([=] {
    EngineOf(args).ReadState(args->state, static_cast<int>(args->parameter), {args->begin, args->end}, args->data);
  });
}

zerocts_status* Memory(zerocts_memory_args* args) {
  return StatusOf([=] {
    const MemoryLedger& held = EngineOf(args).memory();
    const MemoryLedger& estimate = args->engine->estimate;
    const auto bytes = [](const MemoryLedger& ledger, MemoryKind kind) { return static_cast<uint64_t>(ledger[kind]); };
    uint64_t staging = 0;
    for (const Communicator* group : args->engine->groups.all())
      staging += static_cast<uint64_t>(group->staging_bytes());
    GiveBack(args, [&](zerocts_memory_args& out) {
      out.parameter_bytes = bytes(held, MemoryKind::kParameter);
      out.gradient_bytes = bytes(held, MemoryKind::kGradient);
      out.optimizer_bytes = bytes(held, MemoryKind::kOptimizer);
      out.buffer_bytes = bytes(held, MemoryKind::kBuffer) + staging;
      out.estimated_parameter_bytes = bytes(estimate, MemoryKind::kParameter);
      out.estimated_gradient_bytes = bytes(estimate, MemoryKind::kGradient);
      out.estimated_optimizer_bytes = bytes(estimate, MemoryKind::kOptimizer);
      out.estimated_buffer_bytes = bytes(estimate, MemoryKind::kBuffer) + staging;
      out.estimated_peak_bytes = static_cast<uint64_t>(estimate.peak()) + staging;
      out.peak_bytes = static_cast<uint64_t>(held.peak()) + staging;
      out.offloaded_bytes = static_cast<uint64_t>(held.on_host());
    });
  });
}

zerocts_status* ReadTraffic(zerocts_traffic_args* args) {
  return StatusOf([=] {
    EngineOf(args).Synchronize();  // what is still under way would be counted in no call
    const std::vector<const Communicator*> groups = args->engine->groups.all();
    const auto over_all_axes = [&](Traffic::Count Traffic::*kind) {
      zerocts_traffic_count sum = {};
      for (const Communicator* group : groups) {
        const Traffic::Count count = group->traffic().*kind;
        sum.calls += static_cast<uint64_t>(count.calls);
        sum.sent_bytes += static_cast<uint64_t>(count.sent_bytes);
        sum.received_bytes += static_cast<uint64_t>(count.received_bytes);
      }
      return sum;
    };
    args->reduce_scatter = over_all_axes(&Traffic::reduce_scatter);
    args->all_gather = over_all_axes(&Traffic::all_gather);
    args->all_reduce = over_all_axes(&Traffic::all_reduce);
    args->broadcast = {};
  });
}

zerocts_status* ReadTimeline(zerocts_timeline_args* args) {
  return StatusOf([=] {
    Timeline& timeline = EngineOf(args).timeline();
    args->count = static_cast<uint32_t>(timeline.size());
    if (args->count > args->capacity) return;
    args->count = 0;
    for (const RecordedSpan& span : timeline.Take()) {
      zerocts_span& out = args->spans[args->count++];
      out = {};
      std::strncpy(out.name, span.name, sizeof out.name - 1);
      out.index = span.index;
      out.begin_ns = span.begin_ns;
      out.end_ns = span.end_ns;
    }
  });
}

zerocts_event EventOf(const LoggedEvent& logged) {
  zerocts_event event{};
  std::strncpy(event.name, logged.name, sizeof event.name - 1);
  event.kind = static_cast<uint32_t>(logged.kind);
  event.index = logged.index;
  event.queue = static_cast<uint32_t>(logged.queue);
  event.awaited = static_cast<uint64_t>(std::max<int64_t>(logged.awaited, 0));
  return event;
}

zerocts_status* ReadEvents(zerocts_events_args* args) {
  return StatusOf([=] {
    Engine& engine = EngineOf(args);
    const std::vector<int> buckets = engine.BucketOfParameter();
    if (args->n_parameters != buckets.size()) {
      throw std::invalid_argument(
          fmt::format("n_parameters is {}: this engine has {} parameters", args->n_parameters, buckets.size()));
    }
    std::ranges::copy(buckets, args->bucket_of_parameter);
    EventLog& log = engine.timeline().events();
    log.Start();
    args->count = static_cast<uint32_t>(log.size());
    if (args->count <= args->capacity) std::ranges::transform(log.Take(), args->events, EventOf);
  });
}

std::string FolderOf(const zerocts_checkpoint_args* args) {
  EngineOf(args);
  if (!args->folder || !*args->folder) throw std::invalid_argument("folder is NULL or empty: expected a path");
  return args->folder;
}

zerocts_status* Save(zerocts_checkpoint_args* args) {
  return StatusOf([=] { SaveCheckpoint(*args->engine, FolderOf(args)); });
}

zerocts_status* Load(zerocts_checkpoint_args* args) {
  return StatusOf([=] { LoadCheckpoint(*args->engine, FolderOf(args)); });
}

zerocts_status* ForwardBackward(zerocts_forward_backward_args* args) {
  return StatusOf([=] {
    args->loss = EngineOf(args).ForwardBackward(static_cast<int64_t>(args->step), args->micro_batch, args->inputs,
                                                args->targets, args->batch, args->context);
  });
}

constexpr zerocts_model_extension kModelExtension = {sizeof(zerocts_model_extension), ForwardBackward};

constexpr zerocts_events_extension kEventsExtension = {sizeof(zerocts_events_extension), ReadEvents};

const void* GetExtension(const char* id) {
  if (std::string_view(id) == ZEROCTS_MODEL_EXTENSION) return &kModelExtension;
  if (std::string_view(id) == ZEROCTS_EVENTS_EXTENSION) return &kEventsExtension;
  return nullptr;
}

}  // namespace
}  // namespace zerocts::engine

extern "C" const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "native",
    .version = ZEROCTS_VERSION,
    .description = "the ZeRO engine of ZeRO-CTS: stages 0 to 3 over threads, shared memory or MPI",
    .capabilities = zerocts::engine::kCapabilities,
    .open = zerocts::engine::Open,
    .accumulate = zerocts::engine::Accumulate,
    .step = zerocts::engine::Step,
    .set_group = zerocts::engine::SetGroup,
    .read_parameter = zerocts::engine::ReadParameter,
    .owned = zerocts::engine::Owned,
    .read_state = zerocts::engine::ReadState,
    .memory = zerocts::engine::Memory,
    .close = [](zerocts_engine* engine) { delete engine; },
    .status_code = zerocts::engine::CodeOf,
    .status_message = zerocts::engine::MessageOf,
    .status_free = zerocts::engine::FreeStatus,
    .set_frozen = zerocts::engine::SetFrozen,
    .traffic = zerocts::engine::ReadTraffic,
    .timeline = zerocts::engine::ReadTimeline,
    .save = zerocts::engine::Save,
    .load = zerocts::engine::Load,
    .get_extension = zerocts::engine::GetExtension,
    .shutdown = zerocts::engine::ShutDownCommunicators,
};

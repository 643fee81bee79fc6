/* full.c: the full specimen's table. It does all that the clauses ask for, so that a mutant can get any part wrong. */
#include "conformance/specimen/full.h"

#include <string.h>

static void* Allocate(zerocts_engine* e, int64_t count, size_t size, int kind) {
  void* memory = e->host->alloc(e->host->context, (size_t)count * size, kind);
  if (memory == NULL) return NULL;
  e->blocks[e->n_blocks++] = memory;
  e->held_bytes[kind] += (uint64_t)count * size;
  return memory;
}

static void Close(zerocts_engine* e) {
  const zerocts_host* host = e->host;
  for (int i = 0; i < e->n_blocks; i++) host->free(host->context, e->blocks[i]);
  host->free(host->context, e);
}

static zerocts_status* Refusal(const zerocts_open_args* a) {
  if (a->world_size == 0 || a->rank >= a->world_size)
    return Error(ZEROCTS_INVALID_ARGUMENT, "expected rank < world_size, got rank %u of %u", a->rank, a->world_size);
  if (a->micro_batches == 0) return Error(ZEROCTS_INVALID_ARGUMENT, "expected micro_batches >= 1, got 0");
  for (uint32_t p = 0; p < a->n_parameters; p++)
    if (a->parameters[p]->group >= a->n_groups)
      return Error(ZEROCTS_INVALID_ARGUMENT, "parameter %s is in group %u, expected a group below %u",
                   a->parameters[p]->name, a->parameters[p]->group, a->n_groups);
  if (a->world_size > kMaxWorldSize)
    return Error(ZEROCTS_UNIMPLEMENTED, "%u ranks: full has 1 to %d", a->world_size, kMaxWorldSize);
  if (a->stage > 1) return Error(ZEROCTS_UNIMPLEMENTED, "stage %u: full has ZeRO stages 0 and 1", a->stage);
  if (a->param_dtype != ZEROCTS_FP32 && a->param_dtype != ZEROCTS_BF16)
    return Error(ZEROCTS_UNIMPLEMENTED, "param_dtype %u: full has fp32 (1) and bf16 (2)", a->param_dtype);
  if (a->optimizer != ZEROCTS_SGD && a->optimizer != ZEROCTS_ADAMW)
    return Error(ZEROCTS_UNIMPLEMENTED, "optimizer %u: full has SGD (1) and AdamW (2)", a->optimizer);
  if (strcmp(a->reduction_order, "rank") != 0 && strcmp(a->reduction_order, "any") != 0)
    return Error(ZEROCTS_UNIMPLEMENTED, "reduction order \"%s\": full adds in \"rank\" order", a->reduction_order);
  if (strcmp(a->plan, "padded") != 0 && strcmp(a->plan, "") != 0)
    return Error(ZEROCTS_UNIMPLEMENTED, "shard plan \"%s\": full has \"padded\"", a->plan);
  if (a->n_options > 0) return Error(ZEROCTS_UNIMPLEMENTED, "option \"%s\": full has no options", a->options[0]->key);
  if (a->model != NULL) return Error(ZEROCTS_UNIMPLEMENTED, "full computes no model, it takes gradients");
  return RefuseUndeclared(a);
}

static zerocts_status* AllocateBuffers(zerocts_engine* e) {
  const int64_t window_numel = e->window.end - e->window.begin;
  e->compute = Allocate(e, e->padded_numel, ElementBytes(e->param_dtype), ZEROCTS_MEMORY_PARAMETER);
  e->local = Allocate(e, e->padded_numel, sizeof(float), ZEROCTS_MEMORY_GRADIENT);
  e->mean = Allocate(e, window_numel, sizeof(float), ZEROCTS_MEMORY_GRADIENT);
  e->master = Allocate(e, window_numel, sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  e->moment1 = Allocate(e, window_numel, sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  e->moment2 = Allocate(e, e->optimizer == ZEROCTS_ADAMW ? window_numel : 0, sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  e->staging = Allocate(e, LargestBucket(e), sizeof(float), ZEROCTS_MEMORY_BUFFER);
  if (!e->compute || !e->local || !e->mean || !e->master || !e->moment1 || !e->moment2 || !e->staging)
    return Error(ZEROCTS_OUT_OF_MEMORY, "out of memory");
  return NULL;
}

/* Padding is zero in every buffer, so that it can be cast, sent and squared without harm. */
static void Initialize(zerocts_engine* e, const zerocts_open_args* a) {
  const int64_t window_numel = e->window.end - e->window.begin;
  const size_t window_bytes = (size_t)window_numel * sizeof(float);
  memset(e->compute, 0, (size_t)e->padded_numel * ElementBytes(e->param_dtype));
  memset(e->local, 0, (size_t)e->padded_numel * sizeof(float));
  memset(e->mean, 0, window_bytes);
  memset(e->master, 0, window_bytes);
  memset(e->moment1, 0, window_bytes);
  if (e->optimizer == ZEROCTS_ADAMW) memset(e->moment2, 0, window_bytes);
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    const float* initial = a->parameters[p]->initial;
    const int64_t offset = e->parameters[p].offset;
    for (int64_t i = 0; i < e->parameters[p].numel; i++) {
      if (e->param_dtype == ZEROCTS_FP32) ((float*)e->compute)[offset + i] = initial[i];
      if (e->param_dtype == ZEROCTS_BF16) ((uint16_t*)e->compute)[offset + i] = ToBf16(initial[i]);
    }
    const Interval owned = OwnedOf(e, p);
    for (int64_t i = owned.begin; i < owned.end; i++) e->master[InWindow(e, p, i)] = initial[i];
  }
}

static zerocts_status* Build(zerocts_engine* e, const zerocts_open_args* a) {
  e->parameters = Allocate(e, e->n_parameters, sizeof *e->parameters, ZEROCTS_MEMORY_BUFFER);
  e->groups = Allocate(e, e->n_groups, sizeof *e->groups, ZEROCTS_MEMORY_BUFFER);
  if (!e->parameters || !e->groups) return Error(ZEROCTS_OUT_OF_MEMORY, "out of memory");
  for (uint32_t p = 0; p < e->n_parameters; p++)
    e->parameters[p] = (Parameter){.numel = a->parameters[p]->numel, .group = a->parameters[p]->group};
  for (uint32_t g = 0; g < e->n_groups; g++)
    e->groups[g] = (Group){.values = *a->groups[g], .beta1_product = 1, .beta2_product = 1};
  LayOut(e);
  TRY(AllocateBuffers(e));
  Initialize(e, a);
  return NULL;
}

static zerocts_status* Open(zerocts_open_args* a) {
  TRY(Refusal(a));
  zerocts_engine* e = a->host->alloc(a->host->context, sizeof *e, ZEROCTS_MEMORY_BUFFER);
  if (e == NULL) return Error(ZEROCTS_OUT_OF_MEMORY, "out of memory");
  const uint64_t bucket_bytes = a->bucket_cap_bytes == 0 ? kDefaultBucketBytes : a->bucket_cap_bytes;
  *e = (zerocts_engine){
      .host = a->host,
      .rank = a->rank,
      .world_size = a->world_size,
      .stage = a->stage,
      .param_dtype = a->param_dtype,
      .optimizer = a->optimizer,
      .micro_batches = a->micro_batches,
      .deadline_ms = a->deadline_ms,
      .n_parameters = a->n_parameters,
      .n_groups = a->n_groups,
      .max_norm = a->max_norm,
      .clip_epsilon = a->clip_epsilon,
      .bucket_numel = (int64_t)(bucket_bytes / ElementBytes(a->param_dtype)),
      .held_bytes = {[ZEROCTS_MEMORY_BUFFER] = sizeof *e},
  };
  zerocts_status* error = Build(e, a);
  if (error != NULL) {
    Close(e);
    return error;
  }
  a->engine = e;
  return NULL;
}

/* What parameter p computes with, in param_dtype. */
static const void* ValuesOf(const zerocts_engine* e, uint32_t p) {
  return (const char*)e->compute + e->parameters[p].offset * (int64_t)ElementBytes(e->param_dtype);
}

/* Passes of a quadratic loss: forward and backward see the parameters, and backward fills in the gradients. */
static void Forward(const zerocts_engine* e, const zerocts_loss* loss) {
  for (uint32_t p = 0; p < e->n_parameters; p++) loss->forward(loss->context, p, ValuesOf(e, p));
}

static void Backward(const zerocts_engine* e, const zerocts_loss* loss) {
  for (uint32_t p = e->n_parameters; p-- > 0;) loss->backward(loss->context, p, ValuesOf(e, p));
}

static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  zerocts_engine* e = a->engine;
  if (a->n_gradients != e->n_parameters)
    return Error(ZEROCTS_INVALID_ARGUMENT, "expected %u gradients, got %u", e->n_parameters, a->n_gradients);
  if (a->micro_batch != e->accumulated || e->accumulated == e->micro_batches)
    return Error(ZEROCTS_INVALID_ARGUMENT, "expected micro-batches 0 to %u in turn, got %u after %u of them",
                 e->micro_batches - 1, a->micro_batch, e->accumulated);
  e->accumulated++;
  if (a->loss != NULL) {
    Forward(e, a->loss);
    Backward(e, a->loss);
  }
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    if (a->gradients[p] == NULL && e->parameters[p].numel > 0)
      return Error(ZEROCTS_UNIMPLEMENTED, "no gradient of parameter %u: full needs one of each", p);
    float* sum = e->local + e->parameters[p].offset;
    for (int64_t i = 0; i < e->parameters[p].numel; i++) {
      const float gradient = e->param_dtype == ZEROCTS_FP32 ? ((const float*)a->gradients[p])[i]
                                                            : FromBf16(((const uint16_t*)a->gradients[p])[i]);
      sum[i] = a->micro_batch == 0 ? gradient : sum[i] + gradient;
    }
  }
  return NULL;
}

static zerocts_status* Step(zerocts_step_args* a) {
  zerocts_engine* e = a->engine;
  if (e->accumulated != e->micro_batches)
    return Error(ZEROCTS_INVALID_ARGUMENT, "expected %u micro-batches before a step, got %u", e->micro_batches,
                 e->accumulated);
  e->accumulated = 0;
  TRY(ReduceGradients(e, a->step));
  TRY(GlobalNorm(e, a->step, &a->grad_norm));
  a->clip_coefficient = ClipCoefficient(a->grad_norm, e->max_norm, e->clip_epsilon);
  UpdateWindow(e, a->clip_coefficient);
  return AllGatherParameters(e, a->step);
}

static zerocts_status* SetGroup(zerocts_set_group_args* a) {
  if (a->group >= a->engine->n_groups)
    return Error(ZEROCTS_INVALID_ARGUMENT, "set_group: expected a group below %u, got %u", a->engine->n_groups,
                 a->group);
  TRY(RefuseGroup(a->values));
  a->engine->groups[a->group].values = *a->values;
  return NULL;
}

static zerocts_status* UnknownParameter(const zerocts_engine* e, uint32_t p) {
  if (p < e->n_parameters) return NULL;
  return Error(ZEROCTS_INVALID_ARGUMENT, "expected a parameter below %u, got %u", e->n_parameters, p);
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  const zerocts_engine* e = a->engine;
  TRY(UnknownParameter(e, a->parameter));
  const size_t element_bytes = ElementBytes(e->param_dtype);
  const size_t bytes = (size_t)e->parameters[a->parameter].numel * element_bytes;
  if (a->bytes != bytes)
    return Error(ZEROCTS_INVALID_ARGUMENT, "read_parameter %u: expected room for %zu bytes", a->parameter, bytes);
  if (bytes > 0) memcpy(a->data, (const char*)e->compute + e->parameters[a->parameter].offset * element_bytes, bytes);
  return NULL;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  TRY(UnknownParameter(a->engine, a->parameter));
  const Interval owned = OwnedOf(a->engine, a->parameter);
  a->count = owned.begin < owned.end;
  if (a->count == 1 && a->capacity > 0) a->intervals[0] = owned;
  return NULL;
}

static const float* StateOf(const zerocts_engine* e, const char* name) {
  if (strcmp(name, "master") == 0) return e->master;
  if (strcmp(name, "gradient") == 0) return e->mean;
  if (e->optimizer == ZEROCTS_SGD && strcmp(name, "momentum") == 0) return e->moment1;
  if (e->optimizer == ZEROCTS_ADAMW && strcmp(name, "exp_avg") == 0) return e->moment1;
  if (e->optimizer == ZEROCTS_ADAMW && strcmp(name, "exp_avg_sq") == 0) return e->moment2;
  return NULL;
}

static zerocts_status* ReadState(zerocts_read_state_args* a) {
  const zerocts_engine* e = a->engine;
  TRY(UnknownParameter(e, a->parameter));
  const float* state = StateOf(e, a->state);
  if (state == NULL) return Error(ZEROCTS_UNIMPLEMENTED, "state \"%s\": this optimizer has none", a->state);
  const Interval owned = OwnedOf(e, a->parameter);
  if (a->begin < owned.begin || a->begin >= a->end || a->end > owned.end)
    return Error(ZEROCTS_INVALID_ARGUMENT, "read_state of [%lld, %lld) of parameter %u: rank %u owns [%lld, %lld)",
                 (long long)a->begin, (long long)a->end, a->parameter, e->rank, (long long)owned.begin,
                 (long long)owned.end);
  memcpy(a->data, state + InWindow(e, a->parameter, a->begin), (size_t)(a->end - a->begin) * sizeof *state);
  return NULL;
}

static zerocts_status* Memory(zerocts_memory_args* a) {
  const uint64_t* held_bytes = a->engine->held_bytes;
  a->parameter_bytes = held_bytes[ZEROCTS_MEMORY_PARAMETER];
  a->gradient_bytes = held_bytes[ZEROCTS_MEMORY_GRADIENT];
  a->optimizer_bytes = held_bytes[ZEROCTS_MEMORY_OPTIMIZER];
  a->buffer_bytes = held_bytes[ZEROCTS_MEMORY_BUFFER];
  return NULL;
}

const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "full",
    .version = "1",
    .description = "the body of mutants: ZeRO stages 0 and 1, SGD and AdamW, fp32 and bf16, buckets, clipping",
    .capabilities =
        "{\"stages\": [0, 1], \"param_dtypes\": [\"fp32\", \"bf16\"], \"optimizers\": [\"sgd\", \"adamw\"],"
        " \"world_sizes\": [1, 64], \"ranks_as_threads\": true, \"reduction_orders\": [\"rank\"],"
        " \"losses\": [\"linear\", \"quadratic\"],"
        " \"plans\": [\"padded\"], \"bucket_cap_bytes\": true, \"clip\": true, \"accumulation\": true,"
        " \"groups\": true, \"set_group\": true, \"goes_on_after_refusal\": true,"
        " \"states\": [\"master\", \"momentum\", \"exp_avg\", \"exp_avg_sq\", \"gradient\"],"
        " \"optimizer_slack_bytes\": 0}",
    .open = Open,
    .accumulate = Accumulate,
    .step = Step,
    .set_group = SetGroup,
    .read_parameter = ReadParameter,
    .owned = Owned,
    .read_state = ReadState,
    .memory = Memory,
    .close = Close,
    .status_code = StatusCode,
    .status_message = StatusMessage,
    .status_free = StatusFree,
};

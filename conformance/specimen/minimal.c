/* minimal.c: the smallest useful subject of ZeRO-CTS. Read it before you write a plugin of your own.
 *
 * ZeRO stage 1. A rank holds all parameters and adds up the gradients of its own micro-batches. Master weights and
 * momentum it holds for its shard only: one contiguous piece of all parameters laid end to end. A step is
 *   reduce-scatter   the gradients of the shard, added in rank order 0, 1, .., W-1, then divided once by W * K
 *   update           SGD on the shard
 *   all-gather       every rank's new shard to every rank
 * Ranks talk through the host's set and get, so every launcher will do; nothing is global, as ranks may be threads.
 *
 *   cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -I PREFIX/include/zerocts minimal.c -o minimal.so -lm
 *   zerocts check --subject plugin:./minimal.so
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zerocts_refuse.h"

enum { kMaxWorldSize = 64, kEveryone = kMaxWorldSize, kBlocks = 9 };

struct zerocts_engine { /* one rank */
  const zerocts_host* host;
  uint32_t rank, world_size, micro_batches, deadline_ms, n_parameters;
  zerocts_calls calls;   /* that open allows */
  int64_t begin, numel;  /* the shard, in elements of all parameters laid end to end */
  int64_t* offset;       /* [n_parameters + 1] first element of each parameter, laid end to end; then the total */
  uint32_t* group_of;    /* [n_parameters] */
  zerocts_group* groups; /* as open says, then set_group */
  float *parameters, *gradient; /* [total] current values; sum over this rank's micro-batches */
  float *master, *momentum;     /* [numel] */
  float *mean, *piece;          /* [numel] mean gradient over all ranks; one rank's contribution to it */
  void* blocks[kBlocks];        /* all of the memory above, for Close */
  int n_blocks;
  uint64_t bytes[4]; /* held, by kind: ZEROCTS_MEMORY_* */
};

/* --- errors: NULL, or a sentence that says what is wrong */

struct zerocts_status {
  int code;
  char message[256];
};
static zerocts_status out_of_memory = {ZEROCTS_OUT_OF_MEMORY, "out of memory"};

static zerocts_status* Error(int code, const char* message) {
  zerocts_status* status = malloc(sizeof *status);
  if (status == NULL) return &out_of_memory;
  status->code = code;
  snprintf(status->message, sizeof status->message, "%s", message);
  return status;
}
static zerocts_status* Refusal(const zerocts_calls* calls) { return Error(calls->code, calls->why); }
static int StatusCode(const zerocts_status* status) { return status->code; }
static const char* StatusMessage(const zerocts_status* status) { return status->message; }
static void StatusFree(zerocts_status* status) {
  if (status != &out_of_memory) free(status);
}

#define TRY(call)                        \
  do {                                   \
    zerocts_status* status_ = (call);    \
    if (status_ != NULL) return status_; \
  } while (0)

/* --- shards: sizes differ by at most one, the first total % W ranks have the longer ones */

static int64_t ShardBegin(const zerocts_engine* e, uint32_t rank) {
  const int64_t total = e->offset[e->n_parameters], longer = total % e->world_size;
  return total / e->world_size * rank + (rank < longer ? rank : longer);
}
static int64_t ShardNumel(const zerocts_engine* e, uint32_t rank) {
  return ShardBegin(e, rank + 1) - ShardBegin(e, rank);
}

/* What this rank owns of parameter p, counted from the parameter's first element; nothing when end <= begin. */
static zerocts_interval OwnedOf(const zerocts_engine* e, uint32_t p) {
  const int64_t begin = e->begin - e->offset[p], end = begin + e->numel, numel = e->offset[p + 1] - e->offset[p];
  return (zerocts_interval){begin > 0 ? begin : 0, end < numel ? end : numel};
}

/* --- communication: a key says what goes from whom to whom in which step, so that none is set twice */

typedef struct Key {
  char text[64];
} Key;
static Key KeyOf(const char* what, uint64_t step, uint32_t from, uint32_t to) {
  Key key;
  snprintf(key.text, sizeof key.text, "%s/%llu/%u/%u", what, (unsigned long long)step, from, to);
  return key;
}
static zerocts_status* Set(zerocts_engine* e, Key key, const float* in, int64_t numel) {
  const int code = e->host->set(e->host->context, key.text, in, (size_t)numel * sizeof *in);
  return code == ZEROCTS_OK ? NULL : Error(code, e->host->last_error(e->host->context));
}
static zerocts_status* Get(zerocts_engine* e, Key key, float* out, int64_t numel) {
  e->host->progress(e->host->context, "get", key.text);
  const int code = e->host->get(e->host->context, key.text, out, (size_t)numel * sizeof *out, e->deadline_ms);
  return code == ZEROCTS_OK ? NULL : Error(code, e->host->last_error(e->host->context));
}

static zerocts_status* ReduceScatterGradient(zerocts_engine* e, uint64_t step) {
  for (uint32_t to = 0; to < e->world_size; to++)
    TRY(Set(e, KeyOf("gradient", step, e->rank, to), e->gradient + ShardBegin(e, to), ShardNumel(e, to)));
  TRY(Get(e, KeyOf("gradient", step, 0, e->rank), e->mean, e->numel));
  for (uint32_t from = 1; from < e->world_size; from++) {
    TRY(Get(e, KeyOf("gradient", step, from, e->rank), e->piece, e->numel));
    for (int64_t i = 0; i < e->numel; i++) e->mean[i] += e->piece[i];
  }
  for (int64_t i = 0; i < e->numel; i++) e->mean[i] /= (float)(e->world_size * e->micro_batches);
  return NULL;
}

static void UpdateShard(zerocts_engine* e) {
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    const zerocts_group* group = &e->groups[e->group_of[p]];
    const zerocts_interval owned = OwnedOf(e, p);
    for (int64_t index = owned.begin; index < owned.end; index++) {
      const int64_t i = e->offset[p] + index - e->begin;
      const float direction = fmaf(group->weight_decay, e->master[i], e->mean[i]);
      e->momentum[i] = fmaf(group->momentum, e->momentum[i], direction);
      e->master[i] = fmaf(-group->lr, e->momentum[i], e->master[i]);
    }
  }
}

static zerocts_status* AllGatherParameters(zerocts_engine* e, uint64_t step) {
  TRY(Set(e, KeyOf("parameters", step, e->rank, kEveryone), e->master, e->numel));
  for (uint32_t from = 0; from < e->world_size; from++)
    TRY(Get(e, KeyOf("parameters", step, from, kEveryone), e->parameters + ShardBegin(e, from), ShardNumel(e, from)));
  return NULL;
}

/* --- the table: what the host calls */

static void Close(zerocts_engine* e) {
  const zerocts_host* host = e->host;
  for (int i = 0; i < e->n_blocks; i++) host->free(host->context, e->blocks[i]);
  host->free(host->context, e);
}

static void* Allocate(zerocts_engine* e, int64_t count, size_t size, int kind) {
  void* memory = e->host->alloc(e->host->context, (size_t)count * size, kind);
  if (memory != NULL) e->blocks[e->n_blocks++] = memory;
  e->bytes[kind] += (uint64_t)count * size;
  return memory;
}

static zerocts_status* Open(zerocts_open_args* a) {
  zerocts_calls calls;
  if (zerocts_refuse_undeclared(a, zerocts_subject_v1.capabilities, &calls)) return Refusal(&calls);
  zerocts_engine* e = a->host->alloc(a->host->context, sizeof *e, ZEROCTS_MEMORY_BUFFER);
  if (e == NULL) return &out_of_memory;
  *e = (zerocts_engine){.host = a->host,
                        .rank = a->rank,
                        .world_size = a->world_size,
                        .deadline_ms = a->deadline_ms,
                        .micro_batches = a->micro_batches,
                        .n_parameters = a->n_parameters,
                        .calls = calls,
                        .bytes = {[ZEROCTS_MEMORY_BUFFER] = sizeof *e}};
  e->offset = Allocate(e, e->n_parameters + 1, sizeof *e->offset, ZEROCTS_MEMORY_BUFFER);
  e->group_of = Allocate(e, e->n_parameters, sizeof *e->group_of, ZEROCTS_MEMORY_BUFFER);
  e->groups = Allocate(e, a->n_groups, sizeof *e->groups, ZEROCTS_MEMORY_BUFFER);
  if (e->n_blocks < 3) return Close(e), &out_of_memory;
  e->offset[0] = 0;
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    e->offset[p + 1] = e->offset[p] + a->parameters[p]->numel;
    e->group_of[p] = a->parameters[p]->group;
  }
  for (uint32_t g = 0; g < a->n_groups; g++) e->groups[g] = *a->groups[g];

  const int64_t total = e->offset[e->n_parameters];
  e->begin = ShardBegin(e, e->rank);
  e->numel = ShardNumel(e, e->rank);
  e->parameters = Allocate(e, total, sizeof(float), ZEROCTS_MEMORY_PARAMETER);
  e->gradient = Allocate(e, total, sizeof(float), ZEROCTS_MEMORY_GRADIENT);
  e->mean = Allocate(e, e->numel, sizeof(float), ZEROCTS_MEMORY_GRADIENT);
  e->piece = Allocate(e, e->numel, sizeof(float), ZEROCTS_MEMORY_BUFFER);
  e->master = Allocate(e, e->numel, sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  e->momentum = Allocate(e, e->numel, sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  if (e->n_blocks < kBlocks) return Close(e), &out_of_memory;
  for (uint32_t p = 0; p < e->n_parameters; p++)
    for (int64_t i = 0; i < a->parameters[p]->numel; i++)
      e->parameters[e->offset[p] + i] = a->parameters[p]->initial[i];
  for (int64_t i = 0; i < e->numel; i++) {
    e->master[i] = e->parameters[e->begin + i];
    e->momentum[i] = 0;
  }
  a->engine = e;
  return NULL;
}

/* Passes of a quadratic loss: forward and backward see the parameters, and backward fills in the gradients. */
static void ForwardBackward(const zerocts_engine* e, const zerocts_loss* loss) {
  for (uint32_t p = 0; p < e->n_parameters; p++) loss->forward(loss->context, p, e->parameters + e->offset[p]);
  for (uint32_t p = e->n_parameters; p-- > 0;) loss->backward(loss->context, p, e->parameters + e->offset[p]);
}

static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  zerocts_engine* e = a->engine;
  if (zerocts_refuse_accumulate(a, &e->calls)) return Refusal(&e->calls);
  if (a->loss != NULL) ForwardBackward(e, a->loss);
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    const float* in = a->gradients[p];
    float* sum = e->gradient + e->offset[p];
    const int64_t numel = e->offset[p + 1] - e->offset[p];
    for (int64_t i = 0; i < numel; i++) sum[i] = a->micro_batch == 0 ? in[i] : sum[i] + in[i];
  }
  return NULL;
}

static zerocts_status* Step(zerocts_step_args* a) {
  a->grad_norm = NAN; /* not computed */
  a->clip_coefficient = 1;
  if (zerocts_refuse_step(&a->engine->calls)) return Refusal(&a->engine->calls);
  TRY(ReduceScatterGradient(a->engine, a->step));
  UpdateShard(a->engine);
  return AllGatherParameters(a->engine, a->step);
}

static zerocts_status* SetGroup(zerocts_set_group_args* a) {
  if (zerocts_refuse_set_group(a, &a->engine->calls)) return Refusal(&a->engine->calls);
  a->engine->groups[a->group] = *a->values;
  return NULL;
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  const int64_t offset = a->engine->offset[a->parameter], numel = a->engine->offset[a->parameter + 1] - offset;
  if (a->bytes != (uint64_t)numel * sizeof(float))
    return Error(ZEROCTS_INVALID_ARGUMENT, "expected 4 bytes per element");
  if (numel > 0) memcpy(a->data, a->engine->parameters + offset, a->bytes);
  return NULL;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  const zerocts_interval owned = OwnedOf(a->engine, a->parameter);
  a->count = owned.begin < owned.end;
  if (a->count == 1 && a->capacity > 0) a->intervals[0] = owned;
  return NULL;
}

static zerocts_status* ReadState(zerocts_read_state_args* a) {
  const zerocts_engine* e = a->engine;
  const zerocts_interval owned = OwnedOf(e, a->parameter);
  const float* state = strcmp(a->state, "master") == 0     ? e->master
                       : strcmp(a->state, "momentum") == 0 ? e->momentum
                                                           : NULL;
  if (state == NULL) return Error(ZEROCTS_UNIMPLEMENTED, "minimal has the states \"master\" and \"momentum\" only");
  if (a->begin < owned.begin || a->begin >= a->end || a->end > owned.end)
    return Error(ZEROCTS_INVALID_ARGUMENT, "read_state outside of what this rank owns");
  memcpy(a->data, state + e->offset[a->parameter] + a->begin - e->begin, (size_t)(a->end - a->begin) * sizeof *state);
  return NULL;
}

static zerocts_status* Memory(zerocts_memory_args* a) {
  a->parameter_bytes = a->engine->bytes[ZEROCTS_MEMORY_PARAMETER];
  a->gradient_bytes = a->engine->bytes[ZEROCTS_MEMORY_GRADIENT];
  a->optimizer_bytes = a->engine->bytes[ZEROCTS_MEMORY_OPTIMIZER];
  a->buffer_bytes = a->engine->bytes[ZEROCTS_MEMORY_BUFFER];
  return NULL;
}

const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "minimal",
    .version = "1",
    .description = "the worked example: ZeRO-1, contiguous shards, SGD in fp32",
    .capabilities =
        "{\"stages\": [1], \"param_dtypes\": [\"fp32\"], \"optimizers\": [\"sgd\"], \"world_sizes\": [1, 64],"
        " \"ranks_as_threads\": true, \"reduction_orders\": [\"rank\"], \"plans\": [\"contiguous\"],"
        " \"accumulation\": true, \"groups\": true, \"set_group\": true,"
        " \"states\": [\"master\", \"momentum\"], \"losses\": [\"linear\", \"quadratic\"], \"optimizer_slack_bytes\": "
        "0}",
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

/* oversteps.c: a subject for tests of the host. It trains nothing, and one rank does once what zerocts_subject.h
 * forbids:
 *   deed=NAME (see below)   rank=R (default 0) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/zerocts_subject.h"

struct zerocts_engine {
  const zerocts_host* host;
  char deed[32];
  uint32_t n_parameters;
  int64_t numel[16];
  float* block; /* 3 numbers */
  float* extra; /* 5 numbers */
};
struct zerocts_status {
  char message[64];
};

static float* block_of_some_rank; /* ranks as threads */

static zerocts_status* Error(const char* message) {
  zerocts_status* status = malloc(sizeof *status);
  snprintf(status->message, sizeof status->message, "%s", message);
  return status;
}

static int Does(const zerocts_engine* e, const char* deed) { return strcmp(e->deed, deed) == 0; }

/* `offset` bytes from the beginning. */
static void WriteByte(const void* memory, int64_t offset) { ((volatile char*)memory)[offset] = 1; }

static void Give(zerocts_engine* e, void* memory) { e->host->free(e->host->context, memory); }

static void TakeOptions(zerocts_engine* e, const zerocts_open_args* a) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < a->n_options; i++)
    if (strcmp(a->options[i]->key, "rank") == 0) rank = (uint32_t)atoi(a->options[i]->value);
  for (uint32_t i = 0; i < a->n_options; i++)
    if (strcmp(a->options[i]->key, "deed") == 0 && a->rank == rank)
      snprintf(e->deed, sizeof e->deed, "%s", a->options[i]->value);
}

static void* Block(const zerocts_open_args* a, size_t bytes, int kind) {
  return a->host->alloc(a->host->context, bytes, kind);
}

static zerocts_status* Open(zerocts_open_args* a) {
  zerocts_engine* e = memset(Block(a, sizeof *e, ZEROCTS_MEMORY_BUFFER), 0, sizeof *e);
  e->host = a->host;
  e->n_parameters = a->n_parameters;
  TakeOptions(e, a);
  for (uint32_t p = 0; p < a->n_parameters; p++) e->numel[p] = a->parameters[p]->numel;
  e->block = Block(a, 3 * sizeof(float), ZEROCTS_MEMORY_OPTIMIZER);
  e->extra = Block(a, 5 * sizeof(float), ZEROCTS_MEMORY_GRADIENT);
  if (a->rank == 1) block_of_some_rank = e->block;
  if (Does(e, "initial")) WriteByte(a->parameters[1]->initial, 0);
  if (Does(e, "name")) WriteByte(a->parameters[0]->name, 0);
  if (Does(e, "shape")) WriteByte(a->parameters[1]->shape, 0);
  if (Does(e, "groups")) WriteByte(a->groups[0], sizeof(size_t));
  if (Does(e, "option")) WriteByte(a->options[0]->value, 0);
  if (Does(e, "host")) WriteByte(&a->host->set, 0);
  if (Does(e, "open_args")) WriteByte(a, sizeof *a);
  if (Does(e, "refuses_and_keeps")) return Error("not today");
  a->engine = e;
  return Does(e, "refuses_and_leaves_an_engine") ? Error("not today") : NULL;
}

static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  if (Does(a->engine, "gradient")) WriteByte(a->gradients[1], 0);
  if (Does(a->engine, "gradients")) WriteByte(a->gradients, 0);
  return NULL;
}

/* Every rank has opened before one of them does something, and none closes before it did. */
static void Meet(const zerocts_engine* e) { e->host->barrier(e->host->context, 2000); }

static zerocts_status* Step(zerocts_step_args* a) {
  zerocts_engine* e = a->engine;
  Meet(e);
  a->grad_norm = 0;
  a->clip_coefficient = 1;
  if (Does(e, "block_past")) WriteByte(e->block, 12);
  if (Does(e, "block_before")) WriteByte(e->block, -4);
  if (Does(e, "norm")) WriteByte(a, sizeof *a);
  if (Does(e, "free_of_malloc")) Give(e, strcpy(malloc(64), "not the host's"));
  if (Does(e, "free_of_nothing")) Give(e, (void*)(uintptr_t)8);
  if (Does(e, "free_inside")) Give(e, e->block + 1);
  if (Does(e, "free_of_another_rank")) Give(e, block_of_some_rank);
  if (Does(e, "free_twice")) Give(e, e->extra);
  Meet(e);
  return NULL;
}

static zerocts_status* SetGroup(zerocts_set_group_args* a) {
  if (Does(a->engine, "group")) WriteByte(a->values, sizeof(size_t));
  return NULL;
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  memset(a->data, 0, a->bytes);
  if (a->parameter != 1) return NULL;
  if (Does(a->engine, "parameter_past")) WriteByte(a->data, (int64_t)a->bytes);
  if (Does(a->engine, "parameter_before")) WriteByte(a->data, -1);
  if (Does(a->engine, "parameter_far_past")) memset(a->data, 0, 1 << 20);
  return NULL;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  a->count = a->engine->numel[a->parameter] > 0;
  if (a->count) a->intervals[0] = (zerocts_interval){0, a->engine->numel[a->parameter]};
  if (Does(a->engine, "owned")) a->intervals[a->capacity] = (zerocts_interval){0, 1};
  return NULL;
}

static zerocts_status* ReadState(zerocts_read_state_args* a) {
  memset(a->data, 0, (size_t)(a->end - a->begin) * sizeof *a->data);
  if (Does(a->engine, "state")) WriteByte(a->data, (a->end - a->begin) * (int64_t)sizeof *a->data + 2);
  return NULL;
}

static zerocts_status* Memory(zerocts_memory_args* a) {
  a->buffer_bytes = sizeof *a->engine;
  return NULL;
}

static zerocts_status* Save(zerocts_checkpoint_args* a) {
  if (Does(a->engine, "folder")) WriteByte(a->folder, 0);
  return NULL;
}
static zerocts_status* Load(zerocts_checkpoint_args* a) { return (void)a, NULL; }

static void Close(zerocts_engine* e) {
  if (Does(e, "frees_nothing")) return;
  if (!Does(e, "leak")) Give(e, e->block);
  Give(e, e->extra); /* the second time, after "free_twice" */
  Give(e, e);
}

static int StatusCode(const zerocts_status* s) { return (void)s, ZEROCTS_INTERNAL; }
static const char* StatusMessage(const zerocts_status* s) { return s->message; }
static void StatusFree(zerocts_status* s) { free(s); }

const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "oversteps",
    .version = "1",
    .description = "does what is forbidden when asked to",
    .capabilities =
        "{\"stages\": [0, 1], \"param_dtypes\": [\"fp32\", \"bf16\"], \"optimizers\": [\"sgd\"], \"world_sizes\": [1, "
        "8],"
        " \"ranks_as_threads\": true, \"accumulation\": true, \"set_group\": true, \"states\": [\"master\"],"
        " \"checkpoint\": true}",
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
    .save = Save,
    .load = Load,
};

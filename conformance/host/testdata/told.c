/* told.c: a subject of one rank that writes down what it is told, for tests of the host. It declares everything and
 * trains nothing. The record is the extension "told": one line per call. Memory it fills with zeros; what it tells is
 * made up:
 *   step s       skipped when s is odd, loss scale 8 / (s + 1), norm s
 *   traffic      accumulate: reduce_scatter 1 call, 10 bytes sent, 20 received; step: all_gather 1, 100, 200; reading:
 *                broadcast 1, 7, 7
 *   save, load   the folder; save keeps the record through the next open, which begins a new one otherwise; load
 *                refuses a folder "none"
 *   takes_files  the option told=takes_files: save leaves the process no more files to open
 *   events       none at first, then 300 at each call, each of which waits for itself
 *   timeline     after step 0 300 spans "backward", then one "step"; each begins where the last one ended
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conformance/abi/zerocts_subject.h"

struct zerocts_engine {
  uint32_t n_parameters, stateless[16];
  int64_t numel[16];
  zerocts_traffic_args moved;
  uint32_t spans, takes_files, gives_events;
  uint64_t events;
  float first_value; /* that open was given */
  int64_t now;
};
struct zerocts_status {
  int code;
};

static struct zerocts_engine engine;
static char record[1 << 16];
static int keeps_record;

static void Write(const char* format, ...) {
  const size_t length = strlen(record);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(record + length, sizeof record - length, format, arguments);
  va_end(arguments);
}

static void WriteGroup(const zerocts_group* g) {
  Write("group lr %g decay %g momentum %g beta1 %g beta2 %g eps %g dampening %g nesterov %u\n", g->lr, g->weight_decay,
        g->momentum, g->beta1, g->beta2, g->eps, g->dampening, g->nesterov);
}

static void WriteParameter(const zerocts_parameter* p) {
  Write("parameter %s group %u ndim %u numel %lld dtype %u flags %u tied_to %u\n", p->name, p->group, p->ndim,
        (long long)p->numel, p->dtype, p->flags, p->tied_to);
}

static void WriteLossScaling(const zerocts_loss_scaling* s) {
  if (s == NULL) return;
  Write("loss_scaling kind %u scale %g growth %g backoff %g minimum %g renew %u interval %lld hysteresis %lld\n",
        s->kind, s->scale, s->growth_factor, s->backoff_factor, s->minimum, s->renew_hysteresis,
        (long long)s->growth_interval, (long long)s->hysteresis);
}

static zerocts_status* Open(zerocts_open_args* a) {
  if (!keeps_record) record[0] = '\0';
  keeps_record = 0;
  memset(&engine, 0, sizeof engine);
  Write("open rank %u of %u stage %u dtype %u optimizer %u K %u max_norm %g order %s plan %s bucket %llu\n", a->rank,
        a->world_size, a->stage, a->param_dtype, a->optimizer, a->micro_batches, a->max_norm, a->reduction_order,
        a->plan, (unsigned long long)a->bucket_cap_bytes);
  Write("mesh replicas %u sync %u accumulation %u reduce %u clip_norm %u clip_formula %u offload %u overlap %u\n",
        a->replicas, a->gradient_sync, a->accumulation_dtype, a->reduce_dtype, a->clip_norm, a->clip_formula,
        a->offload, a->overlap);
  for (uint32_t p = 0; p < a->n_parameters; p++) WriteParameter(a->parameters[p]);
  for (uint32_t g = 0; g < a->n_groups; g++) WriteGroup(a->groups[g]);
  WriteLossScaling(a->loss_scaling);
  for (uint32_t i = 0; i < a->n_options; i++) {
    Write("option %s=%s\n", a->options[i]->key, a->options[i]->value);
    engine.takes_files |= strcmp(a->options[i]->value, "takes_files") == 0;
  }
  engine.n_parameters = a->n_parameters;
  engine.first_value = a->parameters[0]->initial[0];
  for (uint32_t p = 0; p < a->n_parameters; p++) {
    engine.numel[p] = a->parameters[p]->numel;
    engine.stateless[p] = a->parameters[p]->flags != 0 || a->parameters[p]->tied_to != 0;
  }
  a->engine = &engine;
  return NULL;
}

static void Move(zerocts_traffic_count* count, uint64_t sent_bytes, uint64_t received_bytes) {
  count->calls += 1;
  count->sent_bytes += sent_bytes;
  count->received_bytes += received_bytes;
}

static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  Write("accumulate %llu.%u", (unsigned long long)a->step, a->micro_batch);
  for (uint32_t p = 0; p < a->n_gradients; p++) Write(" %s", a->gradients[p] == NULL ? "NULL" : "given");
  Write("\n");
  Move(&engine.moved.reduce_scatter, 10, 20);
  return NULL;
}

static zerocts_status* Step(zerocts_step_args* a) {
  Write("step %llu\n", (unsigned long long)a->step);
  a->grad_norm = (float)a->step;
  a->clip_coefficient = 1;
  a->skipped = a->step % 2;
  a->loss_scale = 8.0f / (float)(a->step + 1);
  Move(&engine.moved.all_gather, 100, 200);
  engine.spans = a->step == 0 ? 300 : 1;
  return NULL;
}

static zerocts_status* SetGroup(zerocts_set_group_args* a) {
  Write("set_group %u ", a->group);
  WriteGroup(a->values);
  return NULL;
}

static zerocts_status* SetFrozen(zerocts_set_frozen_args* a) {
  Write("set_frozen %u %u\n", a->parameter, a->frozen);
  return NULL;
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  Write("read %u %llu bytes\n", a->parameter, (unsigned long long)a->bytes);
  memset(a->data, 0, a->bytes);
  Move(&engine.moved.broadcast, 7, 7);
  return NULL;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  a->count = engine.numel[a->parameter] > 0 && !engine.stateless[a->parameter];
  if (a->count) a->intervals[0] = (zerocts_interval){0, engine.numel[a->parameter]};
  return NULL;
}

static zerocts_status* ReadState(zerocts_read_state_args* a) {
  Write("read %s of %u\n", a->state, a->parameter);
  memset(a->data, 0, (size_t)(a->end - a->begin) * sizeof *a->data);
  return NULL;
}

static zerocts_status* Memory(zerocts_memory_args* a) {
  a->parameter_bytes = 1, a->gradient_bytes = 2, a->optimizer_bytes = 3, a->buffer_bytes = 4;
  a->estimated_parameter_bytes = 5, a->estimated_gradient_bytes = 6, a->estimated_optimizer_bytes = 7,
  a->estimated_buffer_bytes = 8;
  a->estimated_peak_bytes = 9, a->peak_bytes = 10, a->offloaded_bytes = 11;
  return NULL;
}

static zerocts_status* Traffic(zerocts_traffic_args* a) {
  a->reduce_scatter = engine.moved.reduce_scatter;
  a->all_gather = engine.moved.all_gather;
  a->all_reduce = engine.moved.all_reduce;
  a->broadcast = engine.moved.broadcast;
  return NULL;
}

static zerocts_status* Timeline(zerocts_timeline_args* a) {
  a->count = engine.spans;
  if (a->count > a->capacity) return NULL;
  for (uint32_t i = 0; i < a->count; i++, engine.now++) {
    a->spans[i] = (zerocts_span){.index = (int32_t)i, .begin_ns = engine.now, .end_ns = engine.now + 1};
    strcpy(a->spans[i].name, a->count > 1 ? "backward" : "step");
  }
  engine.spans = 0;
  return NULL;
}

static zerocts_status* Events(zerocts_events_args* a) {
  a->count = engine.gives_events ? 300 : 0;
  if (a->count > a->capacity) return NULL;
  for (uint32_t p = 0; p < a->n_parameters; p++) a->bucket_of_parameter[p] = (int32_t)p;
  for (uint32_t i = 0; i < a->count; i++)
    a->events[i] = (zerocts_event){.kind = ZEROCTS_EVENT_WAIT, .index = -1, .queue = 1, .awaited = engine.events++};
  engine.gives_events = 1;
  return NULL;
}

static zerocts_status* Save(zerocts_checkpoint_args* a) {
  Write("save %s\n", a->folder);
  keeps_record = 1;
  if (engine.takes_files) setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
  return NULL;
}

static zerocts_status* Load(zerocts_checkpoint_args* a) {
  static struct zerocts_status refused = {ZEROCTS_INVALID_ARGUMENT};
  Write("load %s first value %g\n", a->folder, engine.first_value);
  return strcmp(a->folder, "none") == 0 ? &refused : NULL;
}

static void Close(zerocts_engine* e) {
  (void)e;
  if (keeps_record) Write("close\n");
}
static const zerocts_events_extension events = {sizeof(zerocts_events_extension), Events};
static const void* Extension(const char* id) {
  if (strcmp(id, ZEROCTS_EVENTS_EXTENSION) == 0) return &events;
  return strcmp(id, "told") == 0 ? record : NULL;
}
static int StatusCode(const zerocts_status* s) { return s->code; }
static const char* StatusMessage(const zerocts_status* s) { return (void)s, ""; }
static void StatusFree(zerocts_status* s) { (void)s; }

const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "told",
    .version = "1",
    .description = "writes down what it is told",
    .capabilities =
        "{\"stages\": [1, 3], \"param_dtypes\": [\"fp32\", \"bf16\"], \"optimizers\": [\"sgd\", \"adamw\", \"adam\", "
        "\"lamb\", \"muon\"],"
        " \"world_sizes\": [1, 64], \"reduction_orders\": [\"rank\", \"tree\"], \"plans\": [\"contiguous\"], "
        "\"bucket_cap_bytes\": true,"
        " \"clip\": true, \"accumulation\": true, \"groups\": true, \"set_group\": true, \"replicas\": true, "
        "\"gradient_sync\": [\"last_micro_batch\","
        " \"every_micro_batch\"], \"states\": [\"master\", \"momentum\", \"gradient\"], \"accumulation_dtypes\": "
        "[\"fp32\", "
        "\"bf16\"],"
        " \"reduce_dtypes\": [\"fp32\", \"bf16\"], \"clip_norms\": [\"2\", \"1\", \"inf\"], \"clip_formulas\": "
        "[\"min\", \"torch\", \"above\","
        " \"deepspeed\", \"deepspeed_fp64\", \"deepspeed_reciprocal\"],"
        " \"loss_scaling\": [\"static\", \"dynamic\"], \"frozen\": true, \"missing_gradients\": true, \"tied\": true, "
        "\"buffers\": true,"
        " \"mixed_dtypes\": true, \"sgd_variants\": true, \"offload\": [\"none\", \"params\", \"full\"], \"overlap\": "
        "true,"
        " \"timeline\": true, \"traffic\": true, \"memory_estimate\": true, \"checkpoint\": true, "
        "\"checkpoint_reshard\": true, \"checkpoint_in_window\": true, \"goes_on_after_refusal\": true,"
        " \"with_option\": {\"told=less\": {\"stages\": [1]}}}",
    .open = Open,
    .accumulate = Accumulate,
    .step = Step,
    .set_group = SetGroup,
    .read_parameter = ReadParameter,
    .owned = Owned,
    .read_state = ReadState,
    .memory = Memory,
    .close = Close,
    .get_extension = Extension,
    .status_code = StatusCode,
    .status_message = StatusMessage,
    .status_free = StatusFree,
    .set_frozen = SetFrozen,
    .traffic = Traffic,
    .timeline = Timeline,
    .save = Save,
    .load = Load,
};

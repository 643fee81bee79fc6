/* zerocts_refuse.h: by it a subject refuses what its `capabilities` leave out. C99 and C++, nothing to link.
 *
 *   zerocts_calls calls;
 *   if (zerocts_refuse_undeclared(args, zerocts_subject_v1.capabilities, &calls))
 *     return MyError(calls.code, calls.why);
 *
 * Each function stands first in the call that it is named after, and returns ZEROCTS_OK (0), or why it must be refused.
 * set_frozen, save and load refuse by being NULL in the table.
 */
#ifndef ZEROCTS_REFUSE_H
#define ZEROCTS_REFUSE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zerocts_subject.h"

/* What calls after open are held against: a subject keeps it until close. `code` and `why` are of the last refusal. */
typedef struct zerocts_calls {
  int code;
  char why[256];
  uint32_t n_parameters, n_groups, micro_batches;
  uint32_t given; /* micro-batches of this step so far */
  uint32_t optimizer;
  int takes_set_group, takes_sgd_variants, takes_quadratic, takes_null, saves_in_window;
} zerocts_calls;

/* JSON: a value is named by its first character; NULL: there is none. */
static inline const char* zerocts_space_(const char* at) { return at + strspn(at, " \t\r\n"); }

static inline const char* zerocts_string_end_(const char* at) {
  for (at++; *at != '\0' && *at != '"'; at++)
    if (at[0] == '\\' && at[1] != '\0') at++;
  return *at == '"' ? at + 1 : at;
}

/* The comma, bracket or brace behind it. */
static inline const char* zerocts_value_end_(const char* at) {
  int depth = 0;
  while (*at != '\0' && (depth > 0 || strchr(",]}", *at) == NULL)) {
    depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    at = *at == '"' ? zerocts_string_end_(at) : at + 1;
  }
  return at;
}

static inline int zerocts_is_(const char* value, const char* text) {
  const size_t quote = *value == '"', length = strlen(text);
  return strncmp(value + quote, text, length) == 0 &&
         strchr(quote ? "\"" : ",]} \t\r\n", value[quote + length]) != NULL;
}

static inline const char* zerocts_member_(const char* object, const char* name) {
  if (object == NULL || *object != '{') return NULL;
  for (const char* at = zerocts_space_(object + 1); *at == '"'; at = zerocts_space_(at + (*at == ','))) {
    const char* value = zerocts_space_(zerocts_space_(zerocts_string_end_(at)) + 1);
    if (zerocts_is_(at, name)) return value;
    at = zerocts_value_end_(value);
  }
  return NULL;
}

static inline const char* zerocts_item_(const char* list, uint32_t index) {
  if (list == NULL || *list != '[') return NULL;
  for (; index > 0 && *list != ']' && *list != '\0'; index--) list = zerocts_value_end_(list + 1);
  return *list == '[' || *list == ',' ? zerocts_space_(list + 1) : NULL;
}

static inline int zerocts_lists_(const char* list, const char* text) {
  const char* item;
  for (uint32_t i = 0; (item = zerocts_item_(list, i)) != NULL; i++)
    if (zerocts_is_(item, text)) return 1;
  return 0;
}

static inline long zerocts_number_(const char* value, long left_out) {
  return value == NULL ? left_out : *value == 't' ? 1 : strtol(value, NULL, 10);
}

/* What one open asks for. */
typedef struct zerocts_asked_ {
  const zerocts_open_args* args;
  const char* capabilities;
  zerocts_calls* calls;
} zerocts_asked_;

/* "key=value" */
static inline const char* zerocts_option_(const zerocts_asked_* asked, uint32_t i, char text[256]) {
  snprintf(text, 256, "%s=%s", asked->args->options[i]->key, asked->args->options[i]->value);
  return text;
}

/* An entry of the capabilities, or what "with_option" says in its place. */
static inline const char* zerocts_entry_(const zerocts_asked_* asked, const char* name) {
  const char* with_option = zerocts_member_(asked->capabilities, "with_option");
  char text[256];
  for (uint32_t i = 0; with_option != NULL && i < asked->args->n_options; i++) {
    const char* given = zerocts_member_(with_option, zerocts_option_(asked, i, text));
    const char* entry = zerocts_member_(given, name);
    if (entry != NULL) return entry;
  }
  return zerocts_member_(asked->capabilities, name);
}

static inline void zerocts_beyond_(zerocts_asked_* asked, const char* what, const char* value) {
  char* why = asked->calls->why;
  const size_t length = asked->calls->code == ZEROCTS_OK ? 0 : strlen(why);
  snprintf(why + length, sizeof asked->calls->why - length, "%s%s%s%s", length == 0 ? "not declared: " : "; ", what,
           *value == '\0' ? "" : " ", value);
  asked->calls->code = ZEROCTS_UNIMPLEMENTED;
}

static inline int zerocts_declares_(const zerocts_asked_* asked, const char* flag) {
  return zerocts_number_(zerocts_entry_(asked, flag), 0) != 0;
}

static inline void zerocts_ask_flag_(zerocts_asked_* asked, int is_asked, const char* flag) {
  if (is_asked && !zerocts_declares_(asked, flag)) zerocts_beyond_(asked, flag, "");
}

/* `left_out` is as if declared where the entry is left out. */
static inline void zerocts_ask_item_(zerocts_asked_* asked, const char* name, const char* left_out, const char* item) {
  const char* list = zerocts_entry_(asked, name);
  if (list == NULL ? strcmp(item, left_out) != 0 : !zerocts_lists_(list, item)) zerocts_beyond_(asked, name, item);
}

/* `names` are those of 0, 1, .., parted by spaces. */
static inline void zerocts_ask_code_(zerocts_asked_* asked, const char* name, const char* left_out, const char* names,
                                     uint32_t code) {
  char item[32];
  for (; code > 0 && *names != '\0'; code--) {
    names += strcspn(names, " ");
    names += *names == ' ';
  }
  snprintf(item, sizeof item, "%.*s", (int)strcspn(names, " "), names);
  zerocts_ask_item_(asked, name, left_out, *item == '\0' ? "of an unknown kind" : item);
}

static inline void zerocts_ask_number_(zerocts_asked_* asked, const char* name, const char* left_out, uint32_t number) {
  char item[16];
  snprintf(item, sizeof item, "%u", (unsigned)number);
  zerocts_ask_item_(asked, name, left_out, item);
}

static inline void zerocts_ask_ranks_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const char* sizes = zerocts_entry_(asked, "world_sizes");
  const long world_size = (long)a->world_size, replicas = a->replicas > 1 ? (long)a->replicas : 1;
  if (world_size < zerocts_number_(zerocts_item_(sizes, 0), 1) ||
      world_size > zerocts_number_(zerocts_item_(sizes, 1), 1))
    zerocts_beyond_(asked, "so many ranks", "");
  if (replicas < zerocts_number_(zerocts_entry_(asked, "min_replicas"), 1))
    zerocts_beyond_(asked, "so few replicas", "");
  zerocts_ask_flag_(asked, replicas > 1, "replicas");
  zerocts_ask_number_(asked, "tensor_parallel", "1", a->tensor > 1 ? a->tensor : 1);
  if (a->tensor > 1 || a->tensor_parts != ZEROCTS_PARTS_EVEN)
    zerocts_ask_code_(asked, "tensor_parts", "even", "even ceil", a->tensor_parts);
  if (a->experts <= 1) return;
  zerocts_ask_flag_(asked, 1, "experts");
  zerocts_ask_flag_(asked, replicas > 1, "expert_replicas");
  zerocts_ask_code_(asked, "expert_divisors", "world", "world group", a->expert_divisor);
}

static inline void zerocts_ask_arrangement_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const int is_file = strncmp(a->plan, "file:", 5) == 0;
  zerocts_ask_number_(asked, "stages", "", a->stage);
  zerocts_ask_code_(asked, "offload", "none", "none params full", a->offload);
  zerocts_ask_flag_(asked, a->overlap != ZEROCTS_OVERLAP_ANY, "overlap");
  if (a->overlap > ZEROCTS_OVERLAP_ON) zerocts_beyond_(asked, "overlap", "of an unknown kind");
  zerocts_ask_flag_(asked, is_file, "plan_files");
  if (!is_file && *a->plan != '\0') zerocts_ask_item_(asked, "plans", "", a->plan);
  zerocts_ask_flag_(asked, a->bucket_cap_bytes != 0, "bucket_cap_bytes");
}

/* Muon has Nesterov's momentum by itself. */
static inline int zerocts_is_sgd_variant_(uint32_t optimizer, const zerocts_group* group) {
  return optimizer != ZEROCTS_MUON && (group->dampening != 0 || group->nesterov != 0);
}

static inline void zerocts_ask_parameters_(zerocts_asked_* asked, const zerocts_open_args* a) {
  int scalar = 0, empty = 0, buffer = 0, unknown = 0, tied = 0, variant = 0;
  uint32_t other = 0; /* a dtype beside that of open */
  for (uint32_t i = 0; i < a->n_parameters; i++) {
    const zerocts_parameter* p = a->parameters[i];
    scalar |= p->ndim == 0;
    empty |= p->numel == 0;
    if (p->dtype != 0 && p->dtype != a->param_dtype) other = p->dtype;
    buffer |= (p->flags & ZEROCTS_PARAMETER_BUFFER) != 0;
    unknown |= (p->flags & ~(uint32_t)ZEROCTS_PARAMETER_BUFFER) != 0;
    tied |= p->tied_to != 0;
  }
  for (uint32_t g = 0; g < a->n_groups; g++) variant |= zerocts_is_sgd_variant_(a->optimizer, a->groups[g]);
  zerocts_ask_code_(asked, "param_dtypes", "", "0 fp32 bf16", a->param_dtype);
  if (other != 0) zerocts_ask_code_(asked, "param_dtypes", "", "0 fp32 bf16", other);
  zerocts_ask_flag_(asked, other != 0, "mixed_dtypes");
  if (scalar) zerocts_ask_item_(asked, "shapes", "scalar", "scalar");
  if (empty) zerocts_ask_item_(asked, "shapes", "empty", "empty");
  zerocts_ask_flag_(asked, buffer, "buffers");
  if (unknown) zerocts_beyond_(asked, "flags of a parameter", "of an unknown kind");
  zerocts_ask_flag_(asked, tied, "tied");
  zerocts_ask_flag_(asked, a->n_groups > 1, "groups");
  zerocts_ask_flag_(asked, variant, "sgd_variants");
}

static inline void zerocts_ask_empty_ranks_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const char* granularity = zerocts_entry_(asked, "granularity");
  const int is_whole = granularity != NULL && zerocts_is_(granularity, "tensor");
  const uint32_t mesh = (a->replicas > 1 ? a->replicas : 1) * (a->tensor > 1 ? a->tensor : 1);
  int64_t pieces = 0;
  for (uint32_t i = 0; i < a->n_parameters; i++) {
    const zerocts_parameter* p = a->parameters[i];
    if (p->tied_to != 0 || p->expert != 0 || (p->flags & ZEROCTS_PARAMETER_BUFFER) != 0) continue;
    pieces += is_whole && p->numel > 0 ? 1 : p->numel;
  }
  if (zerocts_declares_(asked, "no_empty_ranks") && a->stage > 0 && pieces < (int64_t)(a->world_size / mesh))
    zerocts_beyond_(asked, "a rank without elements", "");
}

static inline void zerocts_ask_model_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const char* model = a->model == NULL ? NULL : zerocts_space_(a->model);
  const char* kind = zerocts_member_(model, "mlp") != NULL ? "mlp" : "gpt";
  const char* spec = zerocts_member_(model, kind);
  const long heads = zerocts_number_(zerocts_member_(spec, "heads"), 0);
  if (model != NULL) zerocts_ask_item_(asked, "models", "", spec != NULL ? kind : "of an unknown kind");
  zerocts_ask_flag_(asked, zerocts_number_(zerocts_member_(spec, "kv_heads"), heads) != heads, "kv_heads");
  zerocts_ask_flag_(asked, zerocts_number_(zerocts_member_(spec, "vocab_parallel"), 0) != 0, "vocab_parallel");
  zerocts_ask_flag_(asked, zerocts_number_(zerocts_member_(spec, "sequence_parallel"), 0) != 0, "sequence_parallel");
  if (a->tensor > 1 && zerocts_number_(zerocts_member_(spec, "slices"), 0) % (long)a->tensor != 0)
    zerocts_beyond_(asked, "slices of a sum that the tensor ranks do not divide", "");
}

static inline void zerocts_ask_sums_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const char* dtypes = zerocts_entry_(asked, "ordered_dtypes");
  const int accumulates = a->micro_batches > 1, is_ordered = strcmp(a->reduction_order, "any") != 0;
  zerocts_ask_flag_(asked, accumulates, "accumulation");
  if (accumulates)
    zerocts_ask_code_(asked, "gradient_sync", "last_micro_batch", "last_micro_batch every_micro_batch",
                      a->gradient_sync);
  zerocts_ask_code_(asked, "accumulation_dtypes", "fp32", "fp32 fp32 bf16", a->accumulation_dtype);
  zerocts_ask_code_(asked, "reduce_dtypes", "fp32", "fp32 fp32 bf16", a->reduce_dtype);
  if (is_ordered) zerocts_ask_item_(asked, "reduction_orders", "", a->reduction_order);
  if (is_ordered && dtypes != NULL) zerocts_ask_code_(asked, "ordered_dtypes", "", "0 fp32 bf16", a->param_dtype);
}

static inline void zerocts_ask_update_(zerocts_asked_* asked, const zerocts_open_args* a) {
  const int clips = a->max_norm != 0;
  zerocts_ask_code_(asked, "optimizers", "", "0 sgd adamw adam lamb muon", a->optimizer);
  if (a->loss_scaling != NULL) zerocts_ask_code_(asked, "loss_scaling", "", "0 static dynamic", a->loss_scaling->kind);
  zerocts_ask_flag_(asked, clips, "clip");
  if (clips || a->clip_norm != ZEROCTS_NORM_TWO) zerocts_ask_code_(asked, "clip_norms", "2", "2 1 inf", a->clip_norm);
  if (clips || a->clip_formula != ZEROCTS_CLIP_MIN)
    zerocts_ask_code_(asked, "clip_formulas", "min", "min torch above deepspeed deepspeed_fp64 deepspeed_reciprocal",
                      a->clip_formula);
}

/* An option is declared where "with_option" has it with this value: {"math=fast": {}} will do. */
static inline void zerocts_ask_options_(zerocts_asked_* asked, const zerocts_open_args* a) {
  char text[256];
  for (uint32_t i = 0; i < a->n_options; i++)
    if (zerocts_member_(zerocts_member_(asked->capabilities, "with_option"), zerocts_option_(asked, i, text)) == NULL)
      zerocts_beyond_(asked, "the option", text);
}

static inline int zerocts_refuse_if_(int is_so, int code, const char* why, zerocts_calls* calls) {
  calls->code = is_so ? code : ZEROCTS_OK;
  if (is_so) snprintf(calls->why, sizeof calls->why, "%s", why);
  return calls->code;
}

/* `why` names all that is not declared. */
static inline int zerocts_refuse_undeclared(const zerocts_open_args* args, const char* capabilities,
                                            zerocts_calls* calls) {
  zerocts_open_args a; /* an older host's is shorter: what is missing is 0 */
  memset(&a, 0, sizeof a);
  memcpy(&a, args, args->struct_size < sizeof a ? args->struct_size : sizeof a);
  const uint32_t mesh = (a.replicas > 1 ? a.replicas : 1) * (a.tensor > 1 ? a.tensor : 1);
  int is_senseless = a.rank >= a.world_size || a.micro_batches == 0 || a.world_size % mesh != 0 ||
                     (a.experts > 1 && a.world_size / mesh % a.experts != 0);
  for (uint32_t p = 0; p < a.n_parameters; p++) is_senseless |= a.parameters[p]->group >= a.n_groups;
  if (zerocts_refuse_if_(is_senseless, ZEROCTS_INVALID_ARGUMENT,
                         "ranks, micro-batches or groups that make no sense together", calls))
    return calls->code;

  zerocts_asked_ asked = {&a, zerocts_space_(capabilities), calls};
  zerocts_ask_options_(&asked, &a);
  zerocts_ask_ranks_(&asked, &a);
  zerocts_ask_arrangement_(&asked, &a);
  zerocts_ask_parameters_(&asked, &a);
  zerocts_ask_empty_ranks_(&asked, &a);
  zerocts_ask_model_(&asked, &a);
  zerocts_ask_sums_(&asked, &a);
  zerocts_ask_update_(&asked, &a);
  calls->n_parameters = a.n_parameters;
  calls->n_groups = a.n_groups;
  calls->micro_batches = a.micro_batches;
  calls->given = 0;
  calls->takes_set_group = zerocts_declares_(&asked, "set_group");
  calls->optimizer = a.optimizer;
  calls->takes_sgd_variants = zerocts_declares_(&asked, "sgd_variants");
  calls->saves_in_window = zerocts_declares_(&asked, "checkpoint_in_window");
  calls->takes_quadratic = zerocts_lists_(zerocts_entry_(&asked, "losses"), "quadratic");
  calls->takes_null = a.experts > 1 || zerocts_declares_(&asked, "missing_gradients") ||
                      zerocts_declares_(&asked, "frozen") || zerocts_declares_(&asked, "buffers");
  return calls->code;
}

/* Counts the micro-batches 0, 1, .. of a step; forward_backward calls this one alone. */
static inline int zerocts_refuse_micro_batch(uint32_t micro_batch, zerocts_calls* calls) {
  const int is_wrong = micro_batch != calls->given || micro_batch >= calls->micro_batches;
  calls->given += !is_wrong;
  return zerocts_refuse_if_(is_wrong, ZEROCTS_INVALID_ARGUMENT, "expected micro-batches 0, 1, .. as many as open named",
                            calls);
}

/* The gradient of a buffer, or of what is frozen, a subject that has them refuses itself. */
static inline int zerocts_refuse_accumulate(const zerocts_accumulate_args* args, zerocts_calls* calls) {
  int is_missing = 0;
  if (zerocts_refuse_if_(args->n_gradients != calls->n_parameters, ZEROCTS_INVALID_ARGUMENT,
                         "expected one gradient per parameter", calls))
    return calls->code;
  for (uint32_t p = 0; p < args->n_gradients; p++) is_missing |= args->gradients[p] == NULL;
  if (zerocts_refuse_if_(is_missing && !calls->takes_null, ZEROCTS_UNIMPLEMENTED, "not declared: missing_gradients",
                         calls) ||
      zerocts_refuse_if_(args->loss != NULL && !calls->takes_quadratic, ZEROCTS_UNIMPLEMENTED,
                         "not declared: losses quadratic", calls))
    return calls->code;
  return zerocts_refuse_micro_batch(args->micro_batch, calls);
}

static inline int zerocts_refuse_step(zerocts_calls* calls) {
  const int is_early = calls->given != calls->micro_batches;
  if (!is_early) calls->given = 0;
  return zerocts_refuse_if_(is_early, ZEROCTS_INVALID_ARGUMENT,
                            "expected a step after as many micro-batches as open named", calls);
}

/* A subject that has save. */
static inline int zerocts_refuse_save(zerocts_calls* calls) {
  return zerocts_refuse_if_(calls->given != 0 && !calls->saves_in_window, ZEROCTS_UNIMPLEMENTED,
                            "not declared: checkpoint_in_window", calls);
}

static inline int zerocts_refuse_set_group(const zerocts_set_group_args* args, zerocts_calls* calls) {
  const int is_variant = zerocts_is_sgd_variant_(calls->optimizer, args->values);
  if (zerocts_refuse_if_(!calls->takes_set_group, ZEROCTS_UNIMPLEMENTED, "not declared: set_group", calls) ||
      zerocts_refuse_if_(is_variant && !calls->takes_sgd_variants, ZEROCTS_UNIMPLEMENTED, "not declared: sgd_variants",
                         calls))
    return calls->code;
  return zerocts_refuse_if_(args->group >= calls->n_groups, ZEROCTS_INVALID_ARGUMENT, "expected one of open's groups",
                            calls);
}

#endif /* ZEROCTS_REFUSE_H */

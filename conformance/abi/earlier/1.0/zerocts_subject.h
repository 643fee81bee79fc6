/* zerocts_subject.h: the face that a ZeRO implementation shows to ZeRO-CTS.
 *
 * A subject is a shared library that exports one data symbol, `zerocts_subject_v1`. The host (`zerocts worker`) loads it, opens one
 * engine per rank, feeds gradients, calls step, and reads back what the rank holds. The header is C11 without other includes than
 * <stddef.h> and <stdint.h>; it is also valid C++.
 *
 * Versions. A break gets a new symbol (zerocts_subject_v2). Within a major version fields are only appended: `struct_size` comes first in
 *   every struct and tells the reader how much the writer knew; a reader takes a missing field as zero.
 * Text. UTF-8, zero-terminated. A string passed by the host lives until the call returns; the subject's own table and strings live until
 *   the process ends.
 * Numbers. `numel` and intervals count elements, `_bytes` counts bytes. fp32 is IEEE binary32, bf16 its upper half; both little-endian.
 * Threads. One rank is driven by one thread, one call at a time. Several ranks of one process run on several threads at once, when the
 *   subject declares "ranks_as_threads".
 * Collective calls. All ranks make them in the same order with the same arguments; they may wait for each other, never longer than
 *   `deadline_ms` of open; a wait that runs out returns ZEROCTS_DEADLINE_EXCEEDED and says who was missing.
 * Errors. A call returns NULL, or a status that the host frees with status_free. No exception and no longjmp crosses this border.
 *   What a subject does not offer it leaves out of its capabilities and refuses with ZEROCTS_UNIMPLEMENTED; it never substitutes.
 */
#ifndef ZEROCTS_SUBJECT_H
#define ZEROCTS_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZEROCTS_ABI_MAJOR 1u
#define ZEROCTS_ABI_MINOR 0u

#if defined(__GNUC__)
#define ZEROCTS_EXPORT __attribute__((visibility("default")))
#else
#define ZEROCTS_EXPORT
#endif

typedef struct zerocts_engine zerocts_engine; /* one rank's engine, made by open, ended by close */
typedef struct zerocts_status zerocts_status; /* made by the subject; NULL means success */

enum { /* status codes */
  ZEROCTS_OK = 0,
  ZEROCTS_INVALID_ARGUMENT = 1,  /* the request makes no sense, whatever the subject can do */
  ZEROCTS_UNIMPLEMENTED = 2,     /* it makes sense, this subject does not offer it */
  ZEROCTS_OUT_OF_MEMORY = 3,
  ZEROCTS_DEADLINE_EXCEEDED = 4, /* a wait ran out; the text says which ranks were missing */
  ZEROCTS_INTERNAL = 5
};

enum { ZEROCTS_FP32 = 1, ZEROCTS_BF16 = 2 };                            /* dtypes */
enum { ZEROCTS_SGD = 1, ZEROCTS_ADAMW = 2 };                            /* optimizers */
enum {                                                                  /* what an allocation holds */
  ZEROCTS_MEMORY_PARAMETER = 0,
  ZEROCTS_MEMORY_GRADIENT = 1,
  ZEROCTS_MEMORY_OPTIMIZER = 2, /* master weights and moments */
  ZEROCTS_MEMORY_BUFFER = 3     /* staging, communication */
};
enum { ZEROCTS_LOG_DEBUG = 0, ZEROCTS_LOG_INFO = 1, ZEROCTS_LOG_WARNING = 2 };

/* What the host offers to one rank. Valid from open until close has returned. Every function is called from the rank's own thread only,
 * except log, which any thread may call. put, get and barrier work under every launcher, so that ranks find each other. */
typedef struct zerocts_host {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  void *context; /* first argument of every function below */
  uint32_t ranks_share_process; /* 1: all ranks are threads of this process; 0: each rank is a process of its own */
  uint32_t reserved0;

  /* Publishes `bytes` bytes under `key` for the ranks of this case, and returns at once. A key is put once. Returns a status code. */
  int (*put)(void *context, const char *key, const void *value, size_t bytes);
  /* Waits until `key` was put and copies its value, whose size must be exactly `bytes`. Returns a status code. */
  int (*get)(void *context, const char *key, void *value, size_t bytes, uint32_t deadline_ms);
  /* Waits until every rank has called it. Collective. Returns a status code; last_error then names the ranks that did not come. */
  int (*barrier)(void *context, uint32_t deadline_ms);
  /* The sentence of the last put, get or barrier of this rank that failed; lives until the next one. */
  const char *(*last_error)(void *context);

  /* Memory, counted by kind and filled with a pattern that is never a useful number, aligned to 128 bytes. NULL when there is none.
   * alloc(0) gives a pointer that may be freed. */
  void *(*alloc)(void *context, size_t bytes, int kind);
  void (*free)(void *context, void *memory);

  /* Says where this rank stands ("reduce_scatter", "bucket 3"): shown when a rank hangs. Cheap; call it around every wait. */
  void (*progress)(void *context, const char *operation, const char *detail);
  void (*log)(void *context, int level, const char *text);
  const void *(*get_extension)(void *context, const char *id); /* NULL: not offered */
} zerocts_host;

typedef struct zerocts_parameter {
  size_t struct_size;
  const char *name;
  uint32_t group; /* index into groups */
  uint32_t ndim;
  const int64_t *shape; /* [ndim]; ndim 0 is a scalar, a dimension may be 0 */
  int64_t numel;
  const float *initial; /* [numel] fp32, equal on all ranks: the master weights before the first step */
} zerocts_parameter;

/* Hyper-parameters of one parameter group. */
typedef struct zerocts_group {
  size_t struct_size;
  float lr, weight_decay;
  float momentum;          /* SGD */
  float beta1, beta2, eps; /* AdamW */
} zerocts_group;

typedef struct zerocts_option {
  size_t struct_size;
  const char *key, *value;
} zerocts_option;

/* open: collective. Copies what it needs; nothing passed here outlives the call except `host`. */
typedef struct zerocts_open_args {
  size_t struct_size;
  const zerocts_host *host;
  uint32_t rank, world_size;
  uint32_t stage;       /* 0..3, one of the declared "stages" */
  uint32_t param_dtype; /* dtype of compute parameters and of gradients; with bf16 the optimizer keeps fp32 master weights */
  uint32_t optimizer;
  uint32_t micro_batches; /* accumulate calls per step, K >= 1 */
  float max_norm;         /* clip the global gradient norm to this; 0: no clipping */
  float clip_epsilon;     /* coefficient = min(1, max_norm / (norm + clip_epsilon)) */
  const char *reduction_order; /* one of the declared "reduction_orders"; "any" leaves it to the subject. "ring" starts at an
                                * element's owner, so it is never asked in stage 0 */
  const char *plan;            /* shard plan, one of the declared "plans"; "" leaves it to the subject */
  uint64_t bucket_cap_bytes;   /* 0 leaves it to the subject */
  uint32_t deadline_ms;        /* the longest wait inside any collective call */
  uint32_t n_parameters, n_groups, n_options;
  const zerocts_parameter *const *parameters; /* [n_parameters] in registration order */
  const zerocts_group *const *groups;         /* [n_groups]; a group may have no parameter */
  const zerocts_option *const *options;       /* [n_options], --option key=value of the command line; an unknown key is refused */
  const char *model;      /* NULL: gradients are given. Else the model's JSON (see the extension zerocts.model/1) */
  zerocts_engine *engine; /* out */
} zerocts_open_args;

/* accumulate: may be collective. The gradient of one micro-batch of this rank, called K times before each step, micro_batch 0..K-1. */
typedef struct zerocts_accumulate_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t step; /* 0, 1, .. */
  uint32_t micro_batch, n_gradients;
  const void *const *gradients; /* [n_gradients] in registration order, each [numel] of param_dtype, the host's until return */
} zerocts_accumulate_args;

/* step: collective. Mean of the gradients over all W * K micro-batches, clip, update the owned shard, publish the new parameters. */
typedef struct zerocts_step_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t step;
  float grad_norm;        /* out: global norm of the mean gradient before clipping; NaN when it was not computed */
  float clip_coefficient; /* out: the factor that was applied; 1 when nothing was clipped */
} zerocts_step_args;

/* set_group: local, every rank calls it with equal values between two steps. Takes effect with the next step. */
typedef struct zerocts_set_group_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t group, reserved0;
  const zerocts_group *values;
} zerocts_set_group_args;

/* read_parameter: collective. The full current parameter in param_dtype, [numel], into the host's memory of exactly `bytes` bytes. */
typedef struct zerocts_read_parameter_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t parameter, reserved0;
  void *data;
  uint64_t bytes;
} zerocts_read_parameter_args;

typedef struct zerocts_interval {
  int64_t begin, end; /* half open, elements of one parameter in row-major order */
} zerocts_interval;

/* owned: local. The elements of one parameter whose optimizer state this rank holds, in ascending order, not empty. `count` is how many
 * there are, also when it is above `capacity` (then the host calls again with more room). */
typedef struct zerocts_owned_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t parameter, capacity;
  zerocts_interval *intervals; /* [capacity] */
  uint32_t count;              /* out */
  uint32_t reserved0;
} zerocts_owned_args;

/* read_state: local. One owned interval of "master", "momentum" (SGD), "exp_avg" or "exp_avg_sq" (AdamW) as fp32. "gradient" is the mean
 * gradient of the last step before clipping, until the next accumulate, for subjects that declare "gradient" in "states". */
typedef struct zerocts_read_state_args {
  size_t struct_size;
  zerocts_engine *engine;
  const char *state;
  uint32_t parameter, reserved0;
  int64_t begin, end;
  float *data; /* [end - begin] */
} zerocts_read_state_args;

/* memory: local. Bytes that this rank holds now, padding included. */
typedef struct zerocts_memory_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t parameter_bytes, gradient_bytes, optimizer_bytes, buffer_bytes; /* out */
} zerocts_memory_args;

/* The table that a subject exports.
 *
 * capabilities is a JSON object; what it declares must work, what it leaves out must be refused:
 *   "stages": [1]                  "param_dtypes": ["fp32","bf16"]      "optimizers": ["sgd","adamw"]
 *   "world_sizes": [1, 64]         smallest and largest                 "ranks_as_threads": true
 *   "reduction_orders": ["rank"]   orders with defined bits (rank, ring, tree); [] when the order is not known
 *   "plans": ["contiguous"]        shard plans by name                  "bucket_cap_bytes": true    when it can be set
 *   "clip": true                   "accumulation": true (K > 1)         "groups": true (more than one)
 *   "set_group": true              "states": ["master","momentum"]      what read_state serves
 *   "models": ["mlp","gpt"]        models it computes itself (extension zerocts.model/1)
 *   "optimizer_slack_bytes": 512   optimizer bytes per rank above ceil(total / W), at most
 */
typedef struct zerocts_subject {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  const char *name, *version, *description, *capabilities;
  zerocts_status *(*open)(zerocts_open_args *args);
  zerocts_status *(*accumulate)(zerocts_accumulate_args *args);
  zerocts_status *(*step)(zerocts_step_args *args);
  zerocts_status *(*set_group)(zerocts_set_group_args *args);
  zerocts_status *(*read_parameter)(zerocts_read_parameter_args *args);
  zerocts_status *(*owned)(zerocts_owned_args *args);
  zerocts_status *(*read_state)(zerocts_read_state_args *args);
  zerocts_status *(*memory)(zerocts_memory_args *args);
  void (*close)(zerocts_engine *engine); /* collective; frees everything; also after a failed call */
  void (*shutdown)(void);                /* once per process after the last close; may be NULL */
  const void *(*get_extension)(const char *id); /* may be NULL */
  int (*status_code)(const zerocts_status *status);
  const char *(*status_message)(const zerocts_status *status); /* lives as long as the status */
  void (*status_free)(zerocts_status *status);
} zerocts_subject;

/* Extension "zerocts.model/1": the subject computes forward and backward itself, on its own parameters. `model` of open is then
 *   {"mlp": {"vocab": V, "context": T, "embedding": C, "hidden": [H, ..]}}
 *   {"gpt": {"vocab": V, "context": T, "layers": L, "heads": H, "width": C, "tied": true}}
 * and the parameters of open are the model's, in the order and shapes of reference/model. */
typedef struct zerocts_forward_backward_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t step;
  uint32_t micro_batch, batch, context, reserved0;
  const int32_t *inputs;  /* [batch][context] tokens */
  const int32_t *targets; /* mlp: [batch] tokens, gpt: [batch][context] */
  double loss;            /* out: mean over the targets, natural logarithm */
} zerocts_forward_backward_args;

typedef struct zerocts_model_extension {
  size_t struct_size;
  /* Takes the place of accumulate: may be collective, K times per step. */
  zerocts_status *(*forward_backward)(zerocts_forward_backward_args *args);
} zerocts_model_extension;

#define ZEROCTS_MODEL_EXTENSION "zerocts.model/1"

/* The one exported symbol of a subject:
 *   ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1 = { sizeof(zerocts_subject), ZEROCTS_ABI_MAJOR, ZEROCTS_ABI_MINOR, ... }; */
#define ZEROCTS_SUBJECT_SYMBOL "zerocts_subject_v1"
extern ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1;

#ifdef __cplusplus
}
#endif

#endif /* ZEROCTS_SUBJECT_H */

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
#define ZEROCTS_ABI_MINOR 1u

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
enum { ZEROCTS_SGD = 1, ZEROCTS_ADAMW = 2, ZEROCTS_ADAM = 3, ZEROCTS_LAMB = 4 }; /* optimizers; ADAM: the decay is added to the gradient */
enum { ZEROCTS_NORM_TWO = 0, ZEROCTS_NORM_ONE = 1, ZEROCTS_NORM_INFINITY = 2 }; /* norms that gradients are clipped by */
enum { /* clip formulas, see open */
  ZEROCTS_CLIP_MIN = 0,
  ZEROCTS_CLIP_TORCH = 1,
  ZEROCTS_CLIP_ABOVE = 2,
  ZEROCTS_CLIP_DEEPSPEED = 3,
  ZEROCTS_CLIP_DEEPSPEED_FP64 = 4
};
enum { ZEROCTS_SYNC_LAST = 0, ZEROCTS_SYNC_EACH = 1 };                           /* when gradients are reduced */
enum { ZEROCTS_OFFLOAD_NONE = 0, ZEROCTS_OFFLOAD_PARAMS = 1, ZEROCTS_OFFLOAD_FULL = 2 };
enum { ZEROCTS_OVERLAP_ANY = 0, ZEROCTS_OVERLAP_OFF = 1, ZEROCTS_OVERLAP_ON = 2 };
enum { ZEROCTS_LOSS_SCALE_STATIC = 1, ZEROCTS_LOSS_SCALE_DYNAMIC = 2 };
enum { ZEROCTS_PARAMETER_BUFFER = 1u }; /* flags of a parameter: never updated, no gradient, no optimizer state */
enum {                                                                  /* what an allocation holds */
  ZEROCTS_MEMORY_PARAMETER = 0,
  ZEROCTS_MEMORY_GRADIENT = 1,
  ZEROCTS_MEMORY_OPTIMIZER = 2, /* master weights and moments */
  ZEROCTS_MEMORY_BUFFER = 3     /* staging, communication */
};
enum { ZEROCTS_LOG_DEBUG = 0, ZEROCTS_LOG_INFO = 1, ZEROCTS_LOG_WARNING = 2 };

/* What the host offers to one rank. Valid from open until close has returned. Every function is called from the rank's own thread only,
 * except progress and log, which any thread may call. put, get and barrier work under every launcher, so that ranks find each other. */
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
  /* Since minor version 1: */
  uint32_t dtype;   /* of this parameter and its gradients; 0: param_dtype of open */
  uint32_t flags;   /* ZEROCTS_PARAMETER_BUFFER */
  uint32_t tied_to; /* 0: storage of its own. i + 1: another name of the storage of parameter i, which comes before it: its gradient is
                     * added to that one's in each micro-batch, rounded to that one's dtype; it owns nothing and has no state */
  uint32_t reserved0;
} zerocts_parameter;

/* Hyper-parameters of one parameter group. */
typedef struct zerocts_group {
  size_t struct_size;
  float lr, weight_decay;
  float momentum;          /* SGD */
  float beta1, beta2, eps; /* AdamW, Adam, LAMB */
  /* Since minor version 1: */
  float dampening;   /* SGD: the buffer takes up (1 - dampening) of a gradient */
  uint32_t nesterov; /* SGD: 1 */
} zerocts_group;

/* Loss scaling: every gradient is multiplied by a scale and the mean by 1 / scale. A step whose mean gradient is not finite anywhere is
 * skipped on every rank: no parameter, state or step count changes. Dynamic scales then follow this automaton:
 *   overflow:     good = 0; patience = max(patience - 1, 0); when it is 0, scale = max(scale * backoff_factor, minimum)
 *   no overflow:  good += 1; when it is growth_interval: good = 0, patience = hysteresis, scale *= growth_factor unless that is not finite
 *   with renew_hysteresis every good step sets patience = hysteresis. At first patience = hysteresis. */
typedef struct zerocts_loss_scaling {
  size_t struct_size;
  uint32_t kind; /* ZEROCTS_LOSS_SCALE_STATIC or _DYNAMIC */
  float scale;   /* of the first step */
  float growth_factor, backoff_factor, minimum;
  uint32_t renew_hysteresis;
  int64_t growth_interval, hysteresis;
} zerocts_loss_scaling;

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
  /* Since minor version 1; zero asks for what version 1.0 did: */
  uint32_t replicas;           /* 0, 1: every rank is in one sharding group. R: hybrid shard on a mesh of R replicas of W / R ranks; rank =
                                * replica * (W / R) + place in the sharding group */
  uint32_t gradient_sync;      /* ZEROCTS_SYNC_LAST: a rank adds its K micro-batches, then ranks are added once per step. _EACH: ranks are
                                * added after every micro-batch and the K sums are added up. Declared orders:
                                *   rank, last   sum over r of (sum over k)          rank, each   sum over k of (sum over r)
                                * and likewise for ring and tree; with _EACH the K sums are added one after the other, k = 0, 1, .., in every
                                * order. On a mesh of replicas a sum over ranks is the sum over replicas, in rank order (tree: a balanced
                                * tree), of the sums over each sharding group in the declared order (ring: from the owner's place on).
                                * Roundings with _EACH: the sum over k is kept in accumulation_dtype (fp32: not rounded to bf16 although
                                * reduce_dtype is), rounded at its beginning and after every addition; reduce_dtype is for what is added
                                * over ranks and for the mean */
  uint32_t accumulation_dtype; /* 0: fp32. bf16: a rank's sum over its micro-batches (with _EACH the sum of the K sums over ranks) is kept
                                * in bf16, rounded at its beginning (even when K is 1) and after every addition */
  uint32_t reduce_dtype;       /* 0: fp32. bf16: what a rank puts in, every addition over ranks and the mean are rounded to bf16 */
  uint32_t clip_norm;          /* ZEROCTS_NORM_*: the norm of the whole mean gradient, rounded once */
  uint32_t clip_formula;       /* MIN: min(1, max_norm / (norm + clip_epsilon)); TORCH: min(1, (1 / (norm + clip_epsilon)) * max_norm); ABOVE:
                                * norm > max_norm ? max_norm / (norm + clip_epsilon) : 1; DEEPSPEED: 1 / max(1, (norm + clip_epsilon) / max_norm).
                                * All in fp32, each operation rounded. DEEPSPEED_FP64: as DEEPSPEED in fp64, the result rounded to fp32 */
  uint32_t offload;            /* From stage 1 on. ZEROCTS_OFFLOAD_PARAMS: this rank's shard of the parameters and of the optimizer state lives on the
                                * host between its uses (below stage 3 the device keeps whole parameters besides); _FULL: of the mean gradient too */
  uint32_t overlap;            /* OFF: collectives run when nothing else does; ON: beside forward and backward. Changes no bit */
  const zerocts_loss_scaling *loss_scaling; /* NULL: none */
} zerocts_open_args;

/* accumulate: may be collective. The gradient of one micro-batch of this rank, called K times before each step, micro_batch 0..K-1. */
typedef struct zerocts_accumulate_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t step; /* 0, 1, .. */
  uint32_t micro_batch, n_gradients;
  const void *const *gradients; /* [n_gradients] in registration order, each [numel] of the parameter's dtype, the host's until return.
                                 * Always NULL for buffers and for what is frozen; else NULL (for subjects that declare "missing_gradients")
                                 * says that this micro-batch has none. It counts as zero in the mean; a parameter that has none from any
                                 * micro-batch of any rank is not updated in this step: no decay, no moments, no step count. With loss
                                 * scaling gradients are those of the unscaled loss: the subject multiplies them by its scale, rounded to
                                 * the parameter's dtype, as its backward would */
} zerocts_accumulate_args;

/* step: collective. Mean of the gradients over all W * K micro-batches (divided once, after the sum), clip, update the owned shard, publish the new parameters. */
typedef struct zerocts_step_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint64_t step;
  float grad_norm;        /* out: global norm of the mean gradient before clipping; NaN when it was not computed */
  float clip_coefficient; /* out: the factor that was applied; 1 when nothing was clipped */
  /* Since minor version 1: */
  uint32_t skipped; /* out: 1 when the step was skipped because a gradient was not finite under loss scaling; on all ranks or none.
                     * grad_norm is then NaN, and nobody looks at clip_coefficient */
  float loss_scale; /* out: by which this step's gradients were multiplied; 1 without loss scaling */
} zerocts_step_args;

/* set_group: local, every rank calls it with equal values between two steps. Takes effect with the next step. */
typedef struct zerocts_set_group_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t group, reserved0;
  const zerocts_group *values;
} zerocts_set_group_args;

/* read_parameter: collective. The full current parameter in its dtype, [numel], into the host's memory of exactly `bytes` bytes. */
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

/* owned: local. The elements of one parameter whose optimizer state this rank holds, in ascending order, not empty; nothing of a buffer and
 * of a tied name. On a mesh of replicas ranks at the same place of their sharding groups own the same. `count` is how many there are, also
 * when it is above `capacity` (then the host calls again with more room). */
typedef struct zerocts_owned_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t parameter, capacity;
  zerocts_interval *intervals; /* [capacity] */
  uint32_t count;              /* out */
  uint32_t reserved0;
} zerocts_owned_args;

/* read_state: local. One owned interval of "master", "momentum" (SGD), "exp_avg" or "exp_avg_sq" (AdamW, Adam, LAMB) as fp32. "gradient" is
 * the mean gradient of the last step before clipping, until the next accumulate, for subjects that declare "gradient" in "states"; nobody
 * asks for that of a parameter that had none in that step. */
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
  /* Since minor version 1, for subjects that declare "memory_estimate". The estimate is made from the settings alone, before anything is
   * allocated; the peak is the most that the sum over the kinds was since open. Of the bytes above, offloaded_bytes are on the host. */
  uint64_t estimated_parameter_bytes, estimated_gradient_bytes, estimated_optimizer_bytes, estimated_buffer_bytes; /* out: between two steps */
  uint64_t estimated_peak_bytes, peak_bytes, offloaded_bytes;                                                      /* out */
} zerocts_memory_args;

/* set_frozen: local, every rank calls it with equal values between two steps (the first one included). A frozen parameter gets no gradient
 * and is not updated from the next step on: no decay, no moments, no step count; thawed, it goes on where it was. Its gradients are given
 * as NULL. */
typedef struct zerocts_set_frozen_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t parameter, frozen;
} zerocts_set_frozen_args;

/* traffic: local. What this rank moved since open, counted where it is copied; what stays on the rank is not counted. `calls` counts calls
 * of the transport. */
typedef struct zerocts_traffic_count {
  uint64_t calls, sent_bytes, received_bytes;
} zerocts_traffic_count;
typedef struct zerocts_traffic_args {
  size_t struct_size;
  zerocts_engine *engine;
  zerocts_traffic_count reduce_scatter, all_gather, all_reduce, broadcast; /* out */
} zerocts_traffic_args;

/* timeline: local. When things began and ended on this rank since the last call, steady clock, ascending by begin. A collective begins when
 * all that it needs from this rank is there, whether or not it is started at once. `count` is how many there
 * are, also when it is above `capacity` (then nothing is forgotten and the host calls again with more room). */
typedef struct zerocts_span {
  char name[32]; /* "forward", "backward", "reduce_scatter", "all_gather", "all_reduce", "step" */
  int32_t index; /* unit of the model, or bucket; -1: the whole */
  uint32_t reserved0;
  int64_t begin_ns, end_ns;
} zerocts_span;
typedef struct zerocts_timeline_args {
  size_t struct_size;
  zerocts_engine *engine;
  uint32_t capacity;
  uint32_t count;      /* out */
  zerocts_span *spans; /* [capacity] */
} zerocts_timeline_args;

/* The table that a subject exports.
 *
 * capabilities is a JSON object; what it declares must work, what it leaves out must be refused:
 *   "stages": [1]                  "param_dtypes": ["fp32","bf16"]      "optimizers": ["sgd","adamw"]
 *   "world_sizes": [1, 64]         smallest and largest                 "ranks_as_threads": true
 *   "reduction_orders": ["rank"]   orders with defined bits (rank, ring, tree); "probed": the subject does not know its order,
 *                                  but it depends on the arrangement alone, and "gradient" is among its states; such a case
 *                                  is opened with "any". [] when not even that is sure
 *   "plans": ["contiguous"]        shard plans by name                  "bucket_cap_bytes": true    when it can be set
 *   "clip": true                   "accumulation": true (K > 1)         "groups": true (more than one)
 *   "set_group": true              "states": ["master","momentum"]      what read_state serves
 *   "models": ["mlp","gpt"]        models it computes itself (extension zerocts.model/1)
 *   "optimizer_slack_bytes": 512   optimizer bytes per rank above ceil(total / W), at most
 * Since minor version 1 (left out: not offered):
 *   "replicas": true               hybrid shard                         "gradient_sync": ["last","each"]   left out: ["last"]
 *   "accumulation_dtypes": ["fp32","bf16"], "reduce_dtypes": [..]       left out: ["fp32"]
 *   "clip_norms": ["2","1","inf"]  left out: ["2"]
 *   "clip_formulas": ["min","torch","above","deepspeed","deepspeed_fp64"]   left out: ["min"]
 *   "loss_scaling": ["static","dynamic"]                                "frozen": true (set_frozen)
 *   "missing_gradients": true      NULL gradients                       "tied": true, "buffers": true, "mixed_dtypes": true
 *   "sgd_variants": true           dampening, nesterov                  "offload": ["none","params","full"]   left out: ["none"]
 *   "overlap": true                overlap can be asked                 "timeline": true    it can be asked and has units and buckets
 *   "traffic": true                                                     "memory_estimate": true
 * Where a subject is not as this suite's reference (left out: it is):
 *   "formulas": {"adamw": {"decay": "before"}}   in which order an optimizer computes and where it rounds, each choice by its name in
 *                                  reference/optim/formula_names.hpp; results are judged by the bits of that formula
 *   "inexact_norm": true           the norm's squares are added and rounded in an order of its own: clipping is asked only where no order matters
 *   "inexact_models": true         its `models` add and round in an order of their own: they are judged by a derived bound, not by bits
 *   "granularity": "row"           or "tensor": rows or tensors are not cut, which a rank's share may exceed by; left out: "element"
 *   "parameters_per_unit": 2       the collectives of so many parameters are made together; left out: of all that fit into a bucket
 *   "shapes": ["scalar","empty"]   those unusual parameters that it takes; left out: both
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
  /* Since minor version 1; NULL: not offered. */
  zerocts_status *(*set_frozen)(zerocts_set_frozen_args *args);
  zerocts_status *(*traffic)(zerocts_traffic_args *args);
  zerocts_status *(*timeline)(zerocts_timeline_args *args);
} zerocts_subject;

/* Extension "zerocts.model/1": the subject computes forward and backward itself, on its own parameters; with loss scaling its backward pass
 * begins with the scale. `model` of open is then
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

/* Extension of the host: memory that is not the host's to give, an accelerator's, enters the account that alloc keeps and leaves it again. */
typedef struct zerocts_device_memory_extension {
  size_t struct_size;
  void (*count)(void *context, size_t bytes, int kind);   /* held from now on; `context` is the host's */
  void (*uncount)(void *context, size_t bytes, int kind); /* given back */
} zerocts_device_memory_extension;

#define ZEROCTS_DEVICE_MEMORY_EXTENSION "zerocts.device_memory/1"

/* The one exported symbol of a subject:
 *   ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1 = { sizeof(zerocts_subject), ZEROCTS_ABI_MAJOR, ZEROCTS_ABI_MINOR, ... }; */
#define ZEROCTS_SUBJECT_SYMBOL "zerocts_subject_v1"
extern ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1;

#ifdef __cplusplus
}
#endif

#endif /* ZEROCTS_SUBJECT_H */

/* zerocts_subject.h: the face that a ZeRO implementation shows to ZeRO-CTS.
 *
 * A subject is a shared library that exports one data symbol, `zerocts_subject_v1`. The host (`zerocts worker`) loads
 * it, opens one engine per rank, feeds gradients, calls step, and reads back what the rank holds. The header is C11
 * without other includes than <stddef.h> and <stdint.h>; it is also valid C++.
 *
 * In this order: constants, what the host offers, the arguments of each call, capabilities, the table that a subject
 * exports, extensions.
 *
 * Versions
 *   A break gets a new symbol (zerocts_subject_v2). A minor version only appends fields: `struct_size` comes first in
 *   every struct and tells the reader how much the writer knew. A reader takes a missing field as zero, and ignores
 *   what it does not know.
 *
 * Text
 *   UTF-8, zero-terminated. A string passed by the host lives until the call returns. The subject's own table and
 *   strings live until the process ends.
 *
 * Numbers
 *   `numel` and intervals count elements, `_bytes` counts bytes. fp32 is IEEE binary32, bf16 its upper half; both are
 *   little-endian.
 *
 * Threads
 *   One rank is driven by one thread, one call at a time. Several ranks of one process run on several threads at once
 *   when the subject declares "ranks_as_threads". A call leaves its thread's rounding and subnormals as it found them.
 *
 * Collective calls
 *   All ranks make them in the same order with the same arguments. They may wait for each other, never longer than
 *   `deadline_ms` of open. A wait that runs out returns ZEROCTS_DEADLINE_EXCEEDED and says who was missing.
 *
 * Memory
 *   What the host passes as const stands on read-only pages (gradients do in one micro-batch of each step at least):
 *   a write to it kills the rank, and the report names the write.
 *   What the host gives to be written to is guarded on both sides, the arguments of a call and the blocks of alloc
 *   included: a byte written outside of it fails the case.
 *   A case also fails when close leaves blocks of alloc behind, and when free gets a pointer that this rank's alloc did
 *   not give or that was freed before. Such a pointer is left alone.
 *
 * Errors
 *   A call returns NULL, or a status that the host frees with status_free. No exception and no longjmp crosses this
 *   border. What a subject does not offer it leaves out of its capabilities and refuses with ZEROCTS_UNIMPLEMENTED, as
 *   it refuses a code that this header does not define; it never substitutes.
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

/* -------------------------------------------------------------------------------------------------------- Constants */

/* Status codes. */
enum {
  ZEROCTS_OK = 0,
  ZEROCTS_INVALID_ARGUMENT = 1,  /* the request makes no sense, whatever the subject can do */
  ZEROCTS_UNIMPLEMENTED = 2,     /* the request makes sense, but this subject does not offer it */
  ZEROCTS_OUT_OF_MEMORY = 3,     /* there is no memory for what was asked */
  ZEROCTS_DEADLINE_EXCEEDED = 4, /* a wait ran out; the text says which ranks were missing */
  ZEROCTS_INTERNAL = 5           /* anything else that the subject could not do */
};

/* Dtypes. */
enum { ZEROCTS_FP32 = 1, ZEROCTS_BF16 = 2 };

/* Optimizers. With ADAM the weight decay is added to the gradient. MUON is given matrices alone, and buffers. */
enum { ZEROCTS_SGD = 1, ZEROCTS_ADAMW = 2, ZEROCTS_ADAM = 3, ZEROCTS_LAMB = 4, ZEROCTS_MUON = 5 };

/* Norms that gradients are clipped by. */
enum { ZEROCTS_NORM_TWO = 0, ZEROCTS_NORM_ONE = 1, ZEROCTS_NORM_INFINITY = 2 };

/* Clip formulas: the coefficient that all gradients are multiplied by. In fp32, each operation rounded. */
enum {
  ZEROCTS_CLIP_MIN = 0,                 /* min(1, max_norm / (norm + clip_epsilon)) */
  ZEROCTS_CLIP_TORCH = 1,               /* min(1, (1 / (norm + clip_epsilon)) * max_norm) */
  ZEROCTS_CLIP_ABOVE = 2,               /* norm > max_norm ? max_norm / (norm + clip_epsilon) : 1 */
  ZEROCTS_CLIP_DEEPSPEED = 3,           /* 1 / max(1, (norm + clip_epsilon) / max_norm) */
  ZEROCTS_CLIP_DEEPSPEED_FP64 = 4,      /* as DEEPSPEED in fp64, the result rounded to fp32 */
  ZEROCTS_CLIP_DEEPSPEED_RECIPROCAL = 5 /* 1 / max(1, (norm + clip_epsilon) * (1 / max_norm)) */
};

/* Rank t of T tensor ranks that split m elements has [m t / T, m (t + 1) / T); or all have c = ceil(m / T) as far as
 * there are elements, [min(m, c t), min(m, c (t + 1))). */
enum { ZEROCTS_PARTS_EVEN = 0, ZEROCTS_PARTS_CEIL = 1 };

/* When gradients are reduced: after the last micro-batch of a step, or after each one. */
enum { ZEROCTS_SYNC_LAST_MICRO_BATCH = 0, ZEROCTS_SYNC_EVERY_MICRO_BATCH = 1 };

/* What lives on the host between its uses. */
enum { ZEROCTS_OFFLOAD_NONE = 0, ZEROCTS_OFFLOAD_PARAMS = 1, ZEROCTS_OFFLOAD_FULL = 2 };

/* Whether collectives run beside forward and backward. */
enum { ZEROCTS_OVERLAP_ANY = 0, ZEROCTS_OVERLAP_OFF = 1, ZEROCTS_OVERLAP_ON = 2 };

/* Kinds of loss scaling. */
enum { ZEROCTS_LOSS_SCALE_STATIC = 1, ZEROCTS_LOSS_SCALE_DYNAMIC = 2 };

/* The micro-batches that the mean of an expert's gradients divides by: those of all ranks, or of the expert's. */
enum { ZEROCTS_EXPERT_DIVISOR_WORLD = 0, ZEROCTS_EXPERT_DIVISOR_GROUP = 1 };

/* Flags of a parameter. A buffer is never updated; it has no gradient and no optimizer state. */
enum { ZEROCTS_PARAMETER_BUFFER = 1u };

/* What an allocation holds. */
enum {
  ZEROCTS_MEMORY_PARAMETER = 0, /* compute parameters */
  ZEROCTS_MEMORY_GRADIENT = 1,  /* gradients */
  ZEROCTS_MEMORY_OPTIMIZER = 2, /* master weights and moments */
  ZEROCTS_MEMORY_BUFFER = 3     /* staging, communication */
};

/* Levels of log. */
enum { ZEROCTS_LOG_DEBUG = 0, ZEROCTS_LOG_INFO = 1, ZEROCTS_LOG_WARNING = 2 };

/* --------------------------------------------------------------------------------------------- What the host offers */

/* The host's table for one rank. Valid from open until close has returned. Every function is called from the rank's
 * own thread only, except progress and log, which any thread may call. set, get and barrier work under every launcher,
 * so that ranks find each other. */
typedef struct zerocts_host {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  void* context;                /* first argument of every function below */
  uint32_t ranks_share_process; /* 1: all ranks are threads of this process; 0: each rank is a process of its own */
  uint32_t reserved0;

  /* Stores `bytes` bytes under `key` for the same engine's other ranks, and returns at once. A key is set once.
   * Returns a status code. */
  int (*set)(void* context, const char* key, const void* value, size_t bytes);

  /* Waits until `key` was set and copies its value, whose size must be exactly `bytes`. Returns a status code. */
  int (*get)(void* context, const char* key, void* value, size_t bytes, uint32_t deadline_ms);

  /* Waits until every rank has called it. Collective. Returns a status code; last_error then names the ranks that did
   * not come. */
  int (*barrier)(void* context, uint32_t deadline_ms);

  /* The sentence of the last set, get or barrier of this rank that failed. It lives until the next one. */
  const char* (*last_error)(void* context);

  /* Memory, counted by kind (ZEROCTS_MEMORY_*), filled with a pattern that is never a useful number, and aligned to
   * 128 bytes. NULL when there is none. alloc(0) gives a pointer that may be freed. */
  void* (*alloc)(void* context, size_t bytes, int kind);
  void (*free)(void* context, void* memory);

  /* Says where this rank stands ("reduce_scatter", "bucket 3"), which is shown when a rank hangs. It is cheap: call it
   * around every wait. */
  void (*progress)(void* context, const char* operation, const char* detail);

  /* A line for the report. `level` is one of ZEROCTS_LOG_*. */
  void (*log)(void* context, int level, const char* text);

  /* A further table of the host by its id (see the end of this header). NULL: not offered. */
  const void* (*get_extension)(void* context, const char* id);
} zerocts_host;

/* ------------------------------------------------------------------------------------------------------------- open */

/* One parameter of the training. */
typedef struct zerocts_parameter {
  size_t struct_size;
  const char* name;
  uint32_t group;       /* index into groups */
  uint32_t ndim;        /* number of dimensions; 0 is a scalar */
  const int64_t* shape; /* [ndim]; a dimension may be 0 */
  int64_t numel;
  uint32_t dtype; /* of this parameter and its gradients; 0: param_dtype of open */
  uint32_t flags; /* ZEROCTS_PARAMETER_BUFFER, or 0 */

  /* 0: storage of its own. i + 1: another name of the storage of parameter i, which comes before it. Its gradient is
   * added to that one's in each micro-batch, rounded to that one's dtype. It owns nothing and has no state. */
  uint32_t tied_to;

  /* 0: every rank has it. e + 1: of expert e, see `experts` of open. What is tied is of the same expert. */
  uint32_t expert;

  const float* initial; /* [numel] fp32, equal on all ranks: the master weights before the first step */
} zerocts_parameter;

/* Hyper-parameters of one parameter group. */
typedef struct zerocts_group {
  size_t struct_size;
  float lr, weight_decay;
  float momentum;          /* SGD, Muon */
  float dampening;         /* SGD: the buffer takes up (1 - dampening) of a gradient */
  uint32_t nesterov;       /* SGD, Muon: 1 for Nesterov momentum, else 0 */
  float beta1, beta2, eps; /* AdamW, Adam, LAMB; Muon has eps */
} zerocts_group;

/* Loss scaling. Every gradient is multiplied by a scale, and the mean by 1 / scale. A step whose mean gradient is not
 * finite anywhere is skipped on every rank: no parameter, state or step count changes. Dynamic scales then follow this
 * automaton, which begins with patience = hysteresis:
 *
 *   overflow:     good = 0; patience = max(patience - 1, 0);
 *                 when patience is 0: scale = max(scale * backoff_factor, minimum)
 *   no overflow:  good += 1;
 *                 when good is growth_interval: good = 0, patience = hysteresis,
 *                 and scale *= growth_factor unless that is not finite
 *
 * With renew_hysteresis every good step sets patience = hysteresis. */
typedef struct zerocts_loss_scaling {
  size_t struct_size;
  uint32_t kind; /* ZEROCTS_LOSS_SCALE_STATIC or _DYNAMIC */
  float scale;   /* of the first step */
  float growth_factor, backoff_factor, minimum;
  uint32_t renew_hysteresis; /* 0 or 1 */
  int64_t growth_interval, hysteresis;
} zerocts_loss_scaling;

/* --option KEY=VALUE of the command line. */
typedef struct zerocts_option {
  size_t struct_size;
  const char *key, *value;
} zerocts_option;

/* open: collective. Copies what it needs: nothing passed here outlives the call except `host`. */
typedef struct zerocts_open_args {
  size_t struct_size;
  zerocts_engine* engine; /* out */
  const zerocts_host* host;
  uint32_t deadline_ms; /* the longest wait inside any collective call */
  uint32_t n_options;
  const zerocts_option* const* options; /* [n_options]; an unknown key is refused */

  /* The ranks. */

  uint32_t rank, world_size;

  /* 0, 1: every rank is in one sharding group. R: hybrid shard on a mesh of R replicas of W / R ranks, where
   * rank = replica * (W / R) + position in the sharding group (with tensor ranks, see `tensor`). */
  uint32_t replicas;

  /* 0, 1: every rank computes with whole layers. T: the ranks are a mesh of R replicas x S shards x T tensor ranks, W =
   * R * S * T, where rank = (replica * S + shard) * T + position on the tensor axis. The T ranks of one replica and
   * shard train on the same micro-batches and have a part of each layer; the S ranks of one replica and position are a
   * sharding group, which divides that part. W / T takes the place of the world size in the data, the mean and the
   * orders of addition.
   *
   * Only with a model that the subject computes itself, whose `slices` T divides, in the orders "rank", "tree" and
   * "any". With save and load where "checkpoint_tensor" is declared. See the extension zerocts.model/1 for who has
   * what. */
  uint32_t tensor;

  uint32_t tensor_parts; /* ZEROCTS_PARTS_*: how large their parts are */

  /* 0, 1: every rank has all parameters. E, which divides the world size: rank r has the parameters of expert r mod E,
   * and of no other, beside those that are no expert's. The W / E ranks of an expert are a sharding group of its own.
   *
   * A rank's gradients of other experts are NULL. It owns nothing of them, and neither read_parameter nor read_state is
   * asked of it; read_parameter is collective over the ranks of the expert. The sum of an expert's gradients is that of
   * its ranks alone, in the declared order, in which they count as ranks 0, 1, .. of a world of their own; their mean
   * divides by W * K like that of all others (but see expert_divisor). Norm, clipping and skipped steps are those of
   * all parameters of all ranks. Files of save are loaded by ranks of the same experts.
   *
   * Without tensor ranks. With a model only where it has as many "experts". With R replicas only where
   * "expert_replicas" is declared: E then divides W / R, and the W / (R * E) ranks of a replica that have an expert are
   * a sharding group; what they add is added over replicas as that of other parameters is. */
  uint32_t experts;

  uint32_t expert_divisor; /* ZEROCTS_EXPERT_DIVISOR_*: W * K, or W / E * K */

  /* What each of them holds. */

  uint32_t stage; /* 0..3, one of the declared "stages" */

  /* From stage 1 on. ZEROCTS_OFFLOAD_PARAMS: this rank's shard of the parameters and of the optimizer state lives on
   * the host between its uses. Below stage 3 the device keeps whole parameters besides.
   * ZEROCTS_OFFLOAD_FULL: its shard of the mean gradient lives there too. */
  uint32_t offload;

  /* ZEROCTS_OVERLAP_OFF: collectives run when nothing else does. _ON: they run beside forward and backward. Neither
   * changes a bit. */
  uint32_t overlap;

  const char* plan;          /* shard plan, one of the declared "plans", or "file:PATH"; "" leaves it to the subject */
  uint64_t bucket_cap_bytes; /* 0 leaves it to the subject */

  /* What is trained. */

  uint32_t n_parameters, n_groups;
  const zerocts_parameter* const* parameters; /* [n_parameters] in registration order */
  const zerocts_group* const* groups;         /* [n_groups]; a group may have no parameter */
  const char* model;    /* NULL: gradients are given. Else the model's JSON (see the extension zerocts.model/1) */
  uint32_t param_dtype; /* of compute parameters and gradients; with bf16 the optimizer keeps fp32 master weights */

  /* With a model: how many sequences each forward_backward is given, on which depends how much tensor ranks hold for
   * what they give each other; 0: not said. */
  uint32_t batch;

  /* How gradients are added. */

  uint32_t micro_batches; /* accumulate calls per step, K >= 1 */

  /* ZEROCTS_SYNC_LAST_MICRO_BATCH: a rank adds its K micro-batches, then ranks are added once per step.
   * ZEROCTS_SYNC_EVERY_MICRO_BATCH: ranks are added after every micro-batch, and the K sums are added up.
   * With K = 1 both are one. The declared orders are then:
   *
   *   rank, LAST_MICRO_BATCH     sum over r of (sum over k)
   *   rank, EVERY_MICRO_BATCH    sum over k of (sum over r)
   *
   * and the same for ring and tree. With EVERY_MICRO_BATCH the K sums are added one after the other, k = 0, 1, .., in
   * every order. On a mesh of replicas a sum over ranks is the sum over replicas, in rank order (tree: a balanced
   * tree), of the sums over each sharding group in the declared order (ring: from the owner's position on).
   *
   * Roundings with EVERY_MICRO_BATCH: the sum over k is kept in accumulation_dtype, rounded at its beginning and after
   * every addition. With fp32 it is not rounded to bf16, although reduce_dtype may be bf16: reduce_dtype is for what is
   * added over ranks, and for the mean. */
  uint32_t gradient_sync;

  /* 0: fp32. bf16: a rank's sum over its micro-batches (with EVERY_MICRO_BATCH the sum of the K sums over ranks) is
   * kept in bf16, rounded at its beginning (even when K is 1) and after every addition. */
  uint32_t accumulation_dtype;

  /* 0: fp32. bf16: what a rank puts in, every addition over ranks, and the mean are rounded to bf16. */
  uint32_t reduce_dtype;

  /* One of the declared "reduction_orders"; "any" leaves the order to the subject. "ring" starts at an element's owner,
   * so it is never asked for in stage 0. */
  const char* reduction_order;

  /* What is done with their mean. */

  const zerocts_loss_scaling* loss_scaling; /* NULL: none */
  float max_norm;                           /* clip the global gradient norm to this; 0: no clipping */
  float clip_epsilon;                       /* see the clip formulas above */
  uint32_t clip_norm;                       /* ZEROCTS_NORM_*: the norm of the whole mean gradient, rounded once */
  uint32_t clip_formula;                    /* ZEROCTS_CLIP_* */
  uint32_t optimizer;                       /* ZEROCTS_SGD, _ADAMW, _ADAM, _LAMB or _MUON */
  uint32_t reserved0;
} zerocts_open_args;

/* --------------------------------------------------------------------------------------------------------- Training */

/* The loss of one micro-batch, where it is quadratic in the parameters: its gradients depend on the values that forward
 * and backward compute with. All functions are called from the rank's own thread, while accumulate runs.
 *
 * For each parameter whose gradient is not NULL, tied names included, the subject calls forward once, then backward
 * once. `values` are those of the parameter as the subject computes with them in that pass, whole and in its dtype,
 * gathered again where the subject gathers again: [numel], in memory of the host's process. They are the subject's
 * again on return. backward fills gradients[parameter] of accumulate; nothing useful stands there before. */
typedef struct zerocts_loss {
  size_t struct_size;
  void* context; /* first argument of both functions */
  void (*forward)(void* context, uint32_t parameter, const void* values);
  void (*backward)(void* context, uint32_t parameter, const void* values);
} zerocts_loss;

/* accumulate: may be collective. The gradient of one micro-batch of this rank, called K times before each step with
 * micro_batch 0..K-1; fewer, more or others are refused, by the call in which that shows. Where "goes_on_after_refusal"
 * is declared such a refusal, with ZEROCTS_INVALID_ARGUMENT, changes nothing, and the right call comes next.
 *
 * A gradient is always NULL for buffers and for what is frozen. Else NULL says that this micro-batch has none, for
 * subjects that declare "missing_gradients". It counts as zero in the mean. A parameter that has none from any
 * micro-batch of any rank is not updated in this step: no decay, no moments, no step count.
 *
 * With loss scaling gradients are those of the unscaled loss. The subject multiplies them by its scale, rounded to the
 * parameter's dtype, as its backward would. */
typedef struct zerocts_accumulate_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint64_t step; /* 0, 1, .. */
  uint32_t micro_batch, n_gradients;

  /* [n_gradients] in registration order, each [numel] of the parameter's dtype. They are the host's again on return. */
  const void* const* gradients;

  /* NULL: the loss is linear, and gradients stand where `gradients` says. Else it is quadratic, for subjects that
   * declare it in "losses". Equal on all ranks. */
  const zerocts_loss* loss;
} zerocts_accumulate_args;

/* step: collective. Takes the mean of the gradients over all W * K micro-batches (divided once, after the sum), clips,
 * updates the owned shard, and all-gathers the new parameters. */
typedef struct zerocts_step_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint64_t step;
  float grad_norm;        /* out: global norm of the mean gradient before clipping; NaN when it was not computed */
  float clip_coefficient; /* out: the factor that was applied; 1 when nothing was clipped */

  /* out: 1 when the step was skipped because a gradient was not finite under loss scaling; on all ranks or none.
   * grad_norm is then NaN, and nobody looks at clip_coefficient. */
  uint32_t skipped;
  float loss_scale; /* out: what this step's gradients were multiplied by; 1 without loss scaling */
} zerocts_step_args;

/* set_group: local. Every rank calls it with equal values between two steps. Takes effect with the next step. */
typedef struct zerocts_set_group_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t group, reserved0;
  const zerocts_group* values;
} zerocts_set_group_args;

/* ---------------------------------------------------------------------------------------------------------- Reading */

/* read_parameter: collective. The full current parameter in its dtype, [numel], into the host's memory, whatever part
 * of it a tensor rank has. */
typedef struct zerocts_read_parameter_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t parameter, reserved0;
  void* data;
  uint64_t bytes; /* exactly those of the parameter */
} zerocts_read_parameter_args;

/* Half open: elements of one parameter in row-major order. */
typedef struct zerocts_interval {
  int64_t begin, end;
} zerocts_interval;

/* owned: local. The elements of one parameter whose optimizer state this rank holds, in ascending order, no interval
 * empty. Nothing of a buffer or of a tied name is owned. On a mesh of replicas, ranks at the same position of their
 * sharding groups own the same elements. */
typedef struct zerocts_owned_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t parameter, capacity;
  zerocts_interval* intervals; /* [capacity] */
  uint32_t count; /* out: how many there are, also when above `capacity`; then the host calls again with more room */
  uint32_t reserved0;
} zerocts_owned_args;

/* read_state: local. One owned interval of a state as fp32. The states are "master", "momentum" (SGD, Muon), and
 * "exp_avg" and "exp_avg_sq" (AdamW, Adam, LAMB).
 *
 * Subjects may declare "gradient" in "states": the mean gradient of the last step before clipping, until the next
 * accumulate. Nobody asks for that of a parameter that had none in that step. */
typedef struct zerocts_read_state_args {
  size_t struct_size;
  zerocts_engine* engine;
  const char* state;
  uint32_t parameter, reserved0;
  int64_t begin, end;
  float* data; /* [end - begin] */
} zerocts_read_state_args;

/* memory: local. Bytes that this rank holds now, padding included. */
typedef struct zerocts_memory_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint64_t parameter_bytes, gradient_bytes, optimizer_bytes, buffer_bytes; /* out */

  /* Out, for subjects that declare "memory_estimate". What will be held between two steps, estimated from the settings
   * alone, before anything is allocated. The peak is the most that the sum over the kinds was since open: estimated,
   * and seen. Of the bytes above, offloaded_bytes are on the host. */
  uint64_t estimated_parameter_bytes, estimated_gradient_bytes, estimated_optimizer_bytes, estimated_buffer_bytes;
  uint64_t estimated_peak_bytes, peak_bytes, offloaded_bytes;
} zerocts_memory_args;

/* ------------------------------------------------------------------------------- Calls that a subject may leave out */

/* set_frozen: local. Every rank calls it with equal values between two steps, the first one included. A frozen
 * parameter gets no gradient and is not updated from the next step on: no decay, no moments, no step count. Thawed, it
 * goes on where it was. Its gradients are given as NULL. */
typedef struct zerocts_set_frozen_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t parameter, frozen;
} zerocts_set_frozen_args;

/* traffic: local. What this rank moved since open, counted where it is copied. What stays on the rank is not counted.
 * All that earlier calls enqueued counts: a subject that works asynchronously waits for it. `calls` counts calls of the
 * transport. */
typedef struct zerocts_traffic_count {
  uint64_t calls, sent_bytes, received_bytes;
} zerocts_traffic_count;

typedef struct zerocts_traffic_args {
  size_t struct_size;
  zerocts_engine* engine;
  zerocts_traffic_count reduce_scatter, all_gather, all_reduce, broadcast; /* out */
} zerocts_traffic_args;

/* timeline: local. When things began and ended on this rank since the last call, by the steady clock, ascending by
 * begin. A collective begins when all that it needs from this rank is there, whether or not it is started at once. */
typedef struct zerocts_span {
  char name[32]; /* "forward", "backward", "reduce_scatter", "all_gather", "all_reduce", "step" */
  int32_t index; /* unit of the model, or bucket; -1: the whole */
  uint32_t reserved0;
  int64_t begin_ns, end_ns;
} zerocts_span;

typedef struct zerocts_timeline_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t capacity;

  /* out: how many there are, also when above `capacity`; then nothing is forgotten and the host calls again with more
   * room. */
  uint32_t count;
  zerocts_span* spans; /* [capacity] */
} zerocts_timeline_args;

/* save, load: collective, between two steps; save also before the first one. What stands in the folder is the subject's
 * own affair. A run may save often, each time into another folder.
 *
 * save writes all that the following steps depend on, and changes nothing: parameters, buffers, master weights,
 * moments, step counts, the loss scale and what its automaton remembers, hyper-parameters of groups, what is frozen.
 * The host lets no rank read the folder before save has returned on all of them.
 *
 * Where "checkpoint_in_window" is declared save also comes between the accumulate calls of a step, or between the last
 * one and the step. It writes what it would have written before them, and they still count for this engine. Who loads
 * it stands before the first micro-batch of that step.
 *
 * load takes a fresh engine, on which nothing but open was called, to where the saved one stood. What was saved wins
 * over what open said, the next step has the number after the last one that was saved, and every read shows what was
 * saved. A file that is missing, cut off or of something else is an error on every rank; nothing is ever put in its
 * place. */
typedef struct zerocts_checkpoint_args {
  size_t struct_size;
  zerocts_engine* engine;
  const char* folder; /* an absolute path of a directory that all ranks reach; empty before save */
} zerocts_checkpoint_args;

/* ----------------------------------------------------------------------------------------------------- Capabilities */

/* The table's `capabilities` are a JSON object. What it declares must work, what it leaves out must be refused. The
 * second column is an example, the third says what holds when the entry is left out.
 *
 *   entry                    example             left out  meaning
 *   "world_sizes"            [1, 64]             [1, 1]    smallest and largest number of ranks
 *   "ranks_as_threads"       true                false     ranks may be threads of one process
 *   "replicas"               true                false     hybrid shard
 *   "tensor_parallel"        [1,2,4]             [1]       by how many tensor ranks layers can be split
 *   "tensor_parts"           ["ceil"]            ["even"]  in which sizes; "ceil" alone for "inexact_models"
 *   "experts"                true                false     experts of open, and of its parameters
 *   "expert_replicas"        true                false     experts beside "replicas"
 *   "expert_divisors"        ["group"]           ["world"] what the mean of an expert's gradients divides by
 *
 *   "stages"                 [1]                 []        ZeRO stages
 *   "offload"                ["none","params"]   ["none"]  also "full"
 *   "overlap"                true                false     overlap can be asked for
 *   "plans"                  ["contiguous"]      []        shard plans by name
 *   "plan_files"             true                false     "file:PATH" as `plan`: a sound plan of JSON as
 *                                                          reference/plan/forms/plan.schema.json says, whose states are
 *                                                          all divided alike, and whose model and ranks are those of
 *                                                          open
 *   "bucket_cap_bytes"       true                false     the size of buckets can be set
 *
 *   "param_dtypes"           ["fp32","bf16"]     []        dtypes of parameters
 *   "mixed_dtypes"           true                false     parameters of several dtypes in one training
 *   "groups"                 true                false     more than one parameter group
 *   "set_group"              true                false     set_group
 *   "frozen"                 true                false     set_frozen
 *   "tied"                   true                false     tied_to
 *   "buffers"                true                false     ZEROCTS_PARAMETER_BUFFER
 *   "models"                 ["mlp","gpt"]       []        models it computes itself (extension zerocts.model/1)
 *   "kv_heads"               true                false     heads of a gpt may share keys and values
 *   "vocab_parallel"         true                false     embedding, head and loss of `models` can be split by tokens
 *   "sequence_parallel"      true                false     positions of a gpt can be split between its split layers
 *
 *   "reduction_orders"       ["rank"]            []        orders with defined bits; see below
 *   "accumulation"           true                false     K > 1
 *   "accumulation_dtypes"    ["fp32","bf16"]     ["fp32"]  accumulation_dtype
 *   "gradient_sync"          ["last_micro_batch","every_micro_batch"]  ["last_micro_batch"]  when gradients are reduced
 *   "reduce_dtypes"          ["fp32","bf16"]     ["fp32"]  reduce_dtype
 *   "missing_gradients"      true                false     NULL gradients
 *   "losses"                 ["linear",          ["linear"] of which gradients are given; see zerocts_loss
 *                             "quadratic"]
 *
 *   "optimizers"             ["sgd","adamw"]     []        also "adam", "lamb", "muon"
 *   "sgd_variants"           true                false     dampening, nesterov
 *   "clip"                   true                false     max_norm
 *   "clip_norms"             ["2","1","inf"]     ["2"]     clip_norm
 *   "clip_formulas"          ["min","torch"]     ["min"]   also "above", "deepspeed", "deepspeed_fp64", and
 *                                                          "deepspeed_reciprocal"
 *   "loss_scaling"           ["dynamic"]         []        also "static"
 *
 *   "states"                 ["master"]          []        what read_state serves
 *   "optimizer_slack_bytes"  512                 0         optimizer bytes per rank above ceil(total / W), at most
 *   "memory_estimate"        true                false     the estimates of memory
 *   "traffic"                true                false     traffic
 *   "timeline"               true                false     timeline can be asked for, and has units and buckets
 *   "events"                 true                false     the extension zerocts.events/1, for the "models" that it
 *                                                          computes itself
 *
 *   "checkpoint"             true                false     save, and load of what the same arrangement of as many
 *                                                          ranks saved
 *   "checkpoint_reshard"     true                false     load of what another number of ranks saved, the arrangement
 *                                                          else the same
 *   "checkpoint_tensor"      true                false     save of split layers, and load by another number of tensor
 *                                                          ranks, or by ranks with whole layers, for the same data;
 *                                                          beside "checkpoint_reshard"
 *   "checkpoint_in_window"   true                false     save between the micro-batches of a step
 *   "goes_on_after_refusal"  true                false     a micro-batch that is not the next one, or a step before its
 *                                                          last one, is refused and changes nothing
 *
 * Where a subject is not as this suite's reference; left out, it is:
 *
 *   "formulas"               {"adamw": {"decay": "before"}}
 *       In which order an optimizer computes and where it rounds, each choice by its name in
 *       reference/optim/formula_names.hpp. Results are judged by the bits of that formula. {"adam": "own"} is for a
 *       formula that has no words: it is judged by self parity alone, W ranks against one rank of the same subject.
 *   "ordered_dtypes"         ["fp32"]
 *       The param_dtypes for which "reduction_orders" hold. Left out: all.
 *   "inexact_mean"           true
 *       Ranks multiply what they add by 1 / W, rounded, as NCCL's AVG does. A mean that is a small integer then comes
 *       out rounded for some W (7, 13, 14, 15, ..), and for all but powers of two where addends cancel. Exact gradients
 *       are not asked there.
 *   "inexact_norm"           true
 *       The norm's squares are added and rounded in an order of its own. Clipping is asked for only where no order
 *       matters.
 *   "inexact_models"         true
 *       Its `models` add and round in an order of their own. They are judged by a derived bound, not by bits.
 *   "own_models"             true
 *       Its `models` add and round in an arithmetic whose bits repeat, tensor cores' for instance. They are judged by
 *       self parity, and by the bound where "inexact_models" is declared too.
 *   "device_memory"          true
 *       Tensors live in the memory of a device, which neither the heap nor the kernel's count of a process shows. What
 *       a rank holds is then reported by the subject alone, by the extension "zerocts.device_memory/1" too. Its heap
 *       is not looked at.
 *   "with_option"            {"math=fast": {"own_models": true}}
 *       What replaces the entries beside it when this option is given.
 *   "granularity"            "row"
 *       "row" or "tensor" is never cut, so a rank's share may exceed its part by one. Left out: "element".
 *   "min_replicas"           2
 *       It runs only on a mesh of so many replicas, or more. Left out: one sharding group will do.
 *   "parameters_per_unit"    2
 *       The collectives of so many parameters are made together. Left out: of all that fit into a bucket.
 *   "shapes"                 ["scalar","empty"]
 *       The unusual parameters that it takes. Left out: both.
 *   "no_empty_ranks"         true
 *       From stage 1 on every rank of a sharding group needs something of its own. Not declared are then cases with
 *       fewer elements than ranks, or, with the "granularity" "tensor", with fewer tensors that have elements; an
 *       expert's do not count. Left out: a rank may have nothing.
 *
 * "reduction_orders" are "rank", "ring" and "tree". "probed" says that the subject does not know its order, but that
 * it depends on the arrangement alone, and that "gradient" is among its states; such a case is opened with "any". [] is
 * for when not even that is sure. */

/* --------------------------------------------------------------------------------- The table that a subject exports */

typedef struct zerocts_subject {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  const char *name, *version, *description, *capabilities;
  zerocts_status* (*open)(zerocts_open_args* args);
  zerocts_status* (*accumulate)(zerocts_accumulate_args* args);
  zerocts_status* (*step)(zerocts_step_args* args);
  zerocts_status* (*set_group)(zerocts_set_group_args* args);
  zerocts_status* (*read_parameter)(zerocts_read_parameter_args* args);
  zerocts_status* (*owned)(zerocts_owned_args* args);
  zerocts_status* (*read_state)(zerocts_read_state_args* args);
  zerocts_status* (*memory)(zerocts_memory_args* args);

  /* Collective. Frees everything. Called also after a failed call, if open made an engine. */
  void (*close)(zerocts_engine* engine);

  /* The code and message of a status that a call returned, and its release; the message lives as long as the status. */
  int (*status_code)(const zerocts_status* status);
  const char* (*status_message)(const zerocts_status* status);
  void (*status_free)(zerocts_status* status);

  /* From here on a subject may leave out what it does not offer: NULL, or a table that ends before it. */

  zerocts_status* (*set_frozen)(zerocts_set_frozen_args* args);
  zerocts_status* (*traffic)(zerocts_traffic_args* args);
  zerocts_status* (*timeline)(zerocts_timeline_args* args);
  zerocts_status* (*save)(zerocts_checkpoint_args* args);
  zerocts_status* (*load)(zerocts_checkpoint_args* args);

  /* A further table of the subject by its id (see the end of this header). It may return NULL. */
  const void* (*get_extension)(const char* id);

  /* After the last close of a process. A crash or hang in it is a finding. */
  void (*shutdown)(void);
} zerocts_subject;

/* ------------------------------------------------------------------------------------------------------- Extensions */

/* Extension "zerocts.model/1" of the subject: it computes forward and backward itself, on its own parameters. With
 * loss scaling its backward pass begins with the scale. `model` of open is then one of
 *
 *   {"mlp": {"vocab": V, "context": T, "embedding": C, "hidden": [H, ..]}}
 *   {"gpt": {"vocab": V, "context": T, "layers": L, "heads": H, "width": C, "tied": true}}
 *
 * and the parameters of open are the model's, in the order and shapes of reference/model. Where a subject declares it,
 * a model also has
 *
 * "slices": n and "slice_rounding": "bf16" (else "fp32"), with more than 1 in "tensor_parallel". What row-parallel
 * layers add in forward, and column-parallel ones in backward, is then cut into n slices; each is summed alone and
 * rounded, and the n sums are added from left to right, rounded each time (reference/model/slice_order.hpp). So the
 * bits are those of one process for every T that divides n.
 *
 * "vocab_parallel": true. Rows of the embedding are then cut, and those of a gpt's head with them, tied or not. Where
 * the last layer is column-parallel, ranks keep their own logits, and the numerators of each softmax are added in n
 * slices of the vocabulary, in fp32.
 *
 * "sequence_parallel": true, of a gpt. Between its split layers a tensor rank then has its part of the positions of
 * every sequence; gradients of norms and of biases of row-parallel layers are added in n slices of the positions, each
 * of them sequence by sequence.
 *
 * "kv_heads": G, of a gpt; a divisor of H, and if left out H. Heads h of queries then use keys and values of head
 * h / (H / G), rounded down. Rows of qkv are C of q, then C / H * G of k and as many of v. Slices divide G. The
 * gradient of what heads share is one chain over them in ascending order (CausalAttentionGradient in
 * reference/ops/ops.hpp).
 *
 * "experts": E, of an mlp, as many as `experts` of open. Its last hidden layer then has E copies of its weight and
 * bias, one after the other, named hiddenI.expert0.weight, hiddenI.expert0.bias, hiddenI.expert1.weight and so on. The
 * micro-batches of rank r go through the copy of expert r mod E; there is no gate, and nothing is sent to another rank.
 *
 * Tensor rank t has [m t / T, m (t + 1) / T) of m elements along the dimension that is cut, or what `tensor_parts` of
 * open says. The layers of an mlp are column- and row-parallel in turn; in a gpt qkv (each of the three), mlp_in and a
 * head that is not tied are column-parallel, attention_out and mlp_out row-parallel. All else, but for what
 * "vocab_parallel" cuts, is replicated: every tensor rank has all of it (TensorCut in reference/model/model_spec.hpp).
 * `owned` and read_state speak of the part that a rank has, in elements of the whole parameter; read_parameter gives
 * the whole and is collective over tensor ranks. initial is whole. */
typedef struct zerocts_forward_backward_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint64_t step;
  uint32_t micro_batch, batch, context, reserved0;
  const int32_t* inputs;  /* [batch][context] tokens */
  const int32_t* targets; /* mlp: [batch] tokens, gpt: [batch][context] */
  double loss;            /* out: mean over the targets, natural logarithm */
} zerocts_forward_backward_args;

typedef struct zerocts_model_extension {
  size_t struct_size;

  /* Takes the place of accumulate: may be collective, K times per step. */
  zerocts_status* (*forward_backward)(zerocts_forward_backward_args* args);
} zerocts_model_extension;

#define ZEROCTS_MODEL_EXTENSION "zerocts.model/1"

/* Extension "zerocts.events/1" of the subject: in which order the rank's thread asks for computation and collectives,
 * and what waits for what. Load cannot change this order, so by it, not by the clock, is judged whether collectives may
 * go on beside computation.
 *
 * A queue does one thing after the other. Queue 0 is the rank's thread; other numbers are the subject's own: a stream,
 * a thread. What a queue is asked for begins after all that the rank's thread has waited for by then. */
enum {
  ZEROCTS_EVENT_BEGIN = 1,      /* the queue is asked for a computation from here .. */
  ZEROCTS_EVENT_END = 2,        /* .. to here */
  ZEROCTS_EVENT_COLLECTIVE = 3, /* the queue is asked for a collective */
  ZEROCTS_EVENT_WAIT = 4        /* what the queue does from here on comes after event `awaited` of another queue */
};

/* Each micro-batch shows "forward" of every unit of the model, the first one first, then "backward" of every unit, the
 * last one first. Every collective is waited for some time. What is left out is taken for not done. */
typedef struct zerocts_event {
  char name[24]; /* "forward", "backward", "reduce_scatter", "all_gather", "all_reduce"; "" for a wait. Others may be */
  uint32_t kind; /* ZEROCTS_EVENT_* */
  int32_t index; /* unit of the model, or bucket */
  uint32_t queue; /* below 64 */
  uint32_t reserved0;
  uint64_t awaited; /* by a wait: which event, the first one of this engine being 0; one that came before */
} zerocts_event;

typedef struct zerocts_events_args {
  size_t struct_size;
  zerocts_engine* engine;
  uint32_t n_parameters, capacity;
  int32_t* bucket_of_parameter; /* [n_parameters], out: the bucket that the parameter travels in; -1: none */

  /* out: how many there are, also when above `capacity`; then nothing is forgotten and the host calls again with more
   * room. */
  uint32_t count, reserved0;
  zerocts_event* events; /* [capacity] */
} zerocts_events_args;

typedef struct zerocts_events_extension {
  size_t struct_size;

  /* Local. The events since the last call. The first call comes right after open: it begins the record, and gives
   * none. */
  zerocts_status* (*events)(zerocts_events_args* args);
} zerocts_events_extension;

#define ZEROCTS_EVENTS_EXTENSION "zerocts.events/1"

/* Extension "zerocts.device_memory/1" of the host. Memory that is not the host's to give, an accelerator's, enters the
 * account that alloc keeps, and leaves it again. `context` is the host's. */
typedef struct zerocts_device_memory_extension {
  size_t struct_size;
  void (*count)(void* context, size_t bytes, int kind);   /* held from now on */
  void (*uncount)(void* context, size_t bytes, int kind); /* given back */
} zerocts_device_memory_extension;

#define ZEROCTS_DEVICE_MEMORY_EXTENSION "zerocts.device_memory/1"

/* ---------------------------------------------------------------------------------------------- The exported symbol */

/* A subject defines it as
 *
 *   ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1 = {
 *       sizeof(zerocts_subject), ZEROCTS_ABI_MAJOR, ZEROCTS_ABI_MINOR, ... };
 */
#define ZEROCTS_SUBJECT_SYMBOL "zerocts_subject_v1"
extern ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1;

#ifdef __cplusplus
}
#endif

#endif /* ZEROCTS_SUBJECT_H */

/* zerocts_planner.h: a shard planner as a shared library, for `zerocts plan fuzz --planner plugin:PATH`.
 *
 * The library exports one function, zerocts_plan_v1. It is called in one process and by one thread, once per request,
 * and says a plan as one line of JSON (plan.schema.json describes its fields; "mesh" and "model" may be left out).
 * The header is C11 without other includes than <stddef.h> and <stdint.h>; it is also valid C++.
 *
 * Versions: a break gets a new function (zerocts_plan_v2). Within a version fields are only appended; `struct_size`
 * tells the planner how much the host knew. What the host passes lives until the call returns. */
#ifndef ZEROCTS_PLANNER_H
#define ZEROCTS_PLANNER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ZEROCTS_EXPORT
#if defined(__GNUC__)
#define ZEROCTS_EXPORT __attribute__((visibility("default")))
#else
#define ZEROCTS_EXPORT
#endif
#endif

/* What the function returns. After anything but ZEROCTS_PLAN_OK, what was said is a sentence that tells why. */
enum {
  ZEROCTS_PLAN_OK = 0,
  ZEROCTS_PLAN_UNIMPLEMENTED = 1, /* the request makes sense, but this planner does not offer it */
  ZEROCTS_PLAN_FAILED = 2
};

typedef struct zerocts_plan_tensor {
  const char* name;     /* UTF-8, zero-terminated */
  const char* dtype;    /* "fp32", "bf16", .. */
  const int64_t* shape; /* [dimensions] */
  uint32_t dimensions;
  int32_t group;    /* of the optimizer */
  int32_t frozen;   /* 1: has neither gradient nor optimizer state */
  int32_t tied_to;  /* index of the tensor whose other name this is, or -1 */
  int64_t elements; /* the product of shape */
} zerocts_plan_tensor;

typedef struct zerocts_plan_args {
  uint32_t struct_size;
  uint32_t tensor_count;
  const zerocts_plan_tensor* tensors;
  int32_t replicas, shards; /* the mesh: axis "replicate" outside, axis "shard" inside */
  int32_t stage;            /* 0 divides nothing, 1 the optimizer state, 2 gradients too, 3 parameters too */
  int32_t rank;             /* who asks; all must get one answer */
  int64_t bucket;           /* elements that travel together; 0: the planner's own choice */
  int64_t alignment;        /* as a plan promises it */
  int64_t balance;          /* as above; -1: nothing is asked */
  const char* request;      /* all of it as one line of JSON, options included */

  /* Adds to the answer. `to` is that of this struct. */
  void (*say)(void* to, const char* text);
  void* to;
} zerocts_plan_args;

ZEROCTS_EXPORT int32_t zerocts_plan_v1(const zerocts_plan_args* args);

#ifdef __cplusplus
}
#endif

#endif

/* full.h: inside of the full specimen, the body that mutants change: one rank's engine and what its steps are made of.
 *
 * ZeRO stages 0 and 1. All parameters lie end to end in one flat buffer, in registration order, padded to W equal
 * shards. A rank's window is the part of it whose mean gradient, master weights and moments the rank holds: its shard
 * in stage 1, everything in stage 0.
 */
#ifndef ZEROCTS_SPECIMEN_FULL_H
#define ZEROCTS_SPECIMEN_FULL_H

#include "conformance/abi/zerocts_subject.h"

enum { kMaxWorldSize = 64, kMaxBlocks = 16, kDefaultBucketBytes = 1 << 20 };

/* Half open, elements. */
typedef zerocts_interval Interval;

typedef struct Parameter {
  int64_t numel, offset; /* offset: first element in the flat buffer */
  uint32_t group;
} Parameter;

/* Products of the betas of all applied steps. */
typedef struct Group {
  zerocts_group values;
  double beta1_product, beta2_product;
} Group;

/* The exact sum of squares of fp32 values: per exponent one 128-bit integer, a sum of squared 24-bit mantissas. */
typedef struct Squares {
  uint64_t low[256], high[256]; /* [255]: how many values were infinite or NaN */
} Squares;

struct zerocts_engine {
  const zerocts_host* host;
  uint32_t rank, world_size, stage, param_dtype, optimizer, micro_batches, deadline_ms, n_parameters, n_groups;
  uint32_t accumulated; /* micro-batches of this step so far */
  float max_norm, clip_epsilon;
  int64_t bucket_numel; /* elements of one bucket at most, but one parameter at least */

  Parameter* parameters; /* [n_parameters] */
  Group* groups;         /* [n_groups] */
  int64_t total_numel;   /* without padding */
  int64_t shard_numel;   /* of every rank's shard, padding included */
  int64_t padded_numel;  /* of the flat buffer */
  Interval window;       /* of the flat buffer */

  void* compute;            /* [padded_numel] parameters in param_dtype */
  float* local;             /* [padded_numel] sum over this rank's micro-batches */
  float* mean;              /* [window] mean gradient over all micro-batches of all ranks */
  float* master;            /* [window] */
  float *moment1, *moment2; /* [window] momentum, or exp_avg and exp_avg_sq */
  float* staging;           /* [largest bucket] of another rank */

  void* blocks[kMaxBlocks]; /* all memory above */
  int n_blocks;
  uint64_t held_bytes[4]; /* by ZEROCTS_MEMORY_* */
};

/* Returns from the calling function with the error of `call`, if there is one. */
#define TRY(call)                        \
  do {                                   \
    zerocts_status* status_ = (call);    \
    if (status_ != NULL) return status_; \
  } while (0)

/* full_status.c: errors are sentences; printf-like. */
zerocts_status* Error(int code, const char* format, ...);
int StatusCode(const zerocts_status* status);
const char* StatusMessage(const zerocts_status* status);
void StatusFree(zerocts_status* status);

/* full_refusal.c: NULL, or why what full does not declare is refused. */
zerocts_status* RefuseUndeclared(const zerocts_open_args* a);
zerocts_status* RefuseGroup(const zerocts_group* group);

/* full_layout.c: who holds what. */
void LayOut(zerocts_engine* e);                           /* sizes, offsets and window from the parameters' numel */
Interval ShardOf(const zerocts_engine* e, uint32_t rank); /* of the flat buffer */
Interval OwnedOf(const zerocts_engine* e, uint32_t p);    /* of parameter p; nothing when end <= begin */
int64_t LargestBucket(const zerocts_engine* e);           /* elements */
/* Where element `index` of parameter p stands in mean, master and the moments. */
int64_t InWindow(const zerocts_engine* e, uint32_t p, int64_t index);

/* full_collectives.c: what ranks do together; all are collective. */
zerocts_status* ReduceGradients(zerocts_engine* e, uint64_t step); /* local of all ranks -> mean, bucket by bucket */
zerocts_status* GlobalNorm(zerocts_engine* e, uint64_t step, float* norm); /* of mean over all ranks */
zerocts_status* AllGatherParameters(zerocts_engine* e, uint64_t step);     /* master of all ranks -> compute */

/* full_optimizer.c: arithmetic of one rank, every operation rounded as written in reference/ops/ops.hpp. */
float ClipCoefficient(float norm, float max_norm, float epsilon);
void UpdateWindow(zerocts_engine* e, float clip);

/* full_numbers.c: what one number is. */
void AddSquares(Squares* squares, const float* values, int64_t numel);
void MergeSquares(Squares* squares, const Squares* other);
float NormOf(const Squares* squares); /* square root of the exact sum, NaN when a value was not finite */
float FromBf16(uint16_t bits);
uint16_t ToBf16(float value); /* to nearest, ties to even */
size_t ElementBytes(uint32_t dtype);

#endif /* ZEROCTS_SPECIMEN_FULL_H */

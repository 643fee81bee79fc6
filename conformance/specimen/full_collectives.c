/* full_collectives.c: what ranks do together, through the host's set and get: one set per rank and collective. */
#include <stdio.h>
#include <string.h>

#include "conformance/specimen/full.h"

typedef struct Key {
  char text[64];
} Key;

/* Names what rank `from` gives to part `part` of a collective of one step; no two collectives of a case share a key. */
static Key KeyOf(const char* what, uint64_t step, int64_t part, uint32_t from) {
  Key key;
  snprintf(key.text, sizeof key.text, "%s/%llu/%lld/%u", what, (unsigned long long)step, (long long)part, from);
  return key;
}

static zerocts_status* HostError(const zerocts_engine* e, int code) {
  return code == ZEROCTS_OK ? NULL : Error(code, "%s", e->host->last_error(e->host->context));
}

static zerocts_status* Set(zerocts_engine* e, Key key, const void* value, size_t bytes) {
  return HostError(e, e->host->set(e->host->context, key.text, value, bytes));
}

static zerocts_status* Get(zerocts_engine* e, Key key, void* value, size_t bytes) {
  e->host->progress(e->host->context, "get", key.text);
  return HostError(e, e->host->get(e->host->context, key.text, value, bytes, e->deadline_ms));
}

/* Elements [begin, end) of the flat buffer: the sum over ranks 0, 1, .., W-1 in that order, divided once. What lies in
 * the window is kept. */
static zerocts_status* ReduceBucket(zerocts_engine* e, uint64_t step, int64_t begin, int64_t end) {
  const int64_t kept_begin = begin > e->window.begin ? begin : e->window.begin;
  const int64_t kept_end = end < e->window.end ? end : e->window.end;
  const int64_t first = e->window.begin;
  const size_t bytes = (size_t)(end - begin) * sizeof(float);
  TRY(Set(e, KeyOf("gradient", step, begin, e->rank), e->local + begin, bytes));
  for (uint32_t rank = 0; rank < e->world_size; rank++) {
    const float* bucket = e->local + begin;
    if (rank != e->rank) {
      TRY(Get(e, KeyOf("gradient", step, begin, rank), e->staging, bytes));
      bucket = e->staging;
    }
    for (int64_t i = kept_begin; i < kept_end; i++)
      e->mean[i - first] = rank == 0 ? bucket[i - begin] : e->mean[i - first] + bucket[i - begin];
  }
  const float divisor = (float)(e->world_size * e->micro_batches);
  for (int64_t i = kept_begin; i < kept_end; i++) e->mean[i - first] /= divisor;
  return NULL;
}

/* A bucket takes whole parameters as long as they fit; a parameter that is larger than a bucket gets one of its own. */
zerocts_status* ReduceGradients(zerocts_engine* e, uint64_t step) {
  int64_t begin = 0, end = 0; /* the bucket that is being filled, in elements of the flat buffer */
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    const int64_t numel = e->parameters[p].numel;
    if (numel == 0) continue;
    if (end > begin && end - begin + numel > e->bucket_numel) {
      TRY(ReduceBucket(e, step, begin, end));
      begin = end;
    }
    end += numel;
  }
  if (end > begin) TRY(ReduceBucket(e, step, begin, end));
  return NULL;
}

/* Adds the other ranks' squares. part: which of the norms of this step. */
static zerocts_status* MergeOverRanks(zerocts_engine* e, uint64_t step, int64_t part, Squares* squares) {
  TRY(Set(e, KeyOf("norm", step, part, e->rank), squares, sizeof *squares));
  for (uint32_t rank = 0; rank < e->world_size; rank++) {
    if (rank == e->rank) continue;
    Squares other;
    TRY(Get(e, KeyOf("norm", step, part, rank), &other, sizeof other));
    MergeSquares(squares, &other);
  }
  return NULL;
}

zerocts_status* GlobalNorm(zerocts_engine* e, uint64_t step, float* norm) {
  Squares squares = {{0}, {0}};
  AddSquares(&squares, e->mean, e->window.end - e->window.begin);
  if (e->stage > 0) TRY(MergeOverRanks(e, step, 0, &squares)); /* each rank has seen its shard only */
  *norm = NormOf(&squares);
  return NULL;
}

/* Elements [begin, end) of the flat buffer, which lie in the window: master, cast to the dtype of compute. */
static void RefreshCompute(zerocts_engine* e, Interval piece) {
  const float* master = e->master + (piece.begin - e->window.begin);
  const int64_t numel = piece.end - piece.begin;
  if (e->param_dtype == ZEROCTS_FP32) {
    memcpy((float*)e->compute + piece.begin, master, (size_t)numel * sizeof(float));
  } else {
    uint16_t* compute = (uint16_t*)e->compute + piece.begin;
    for (int64_t i = 0; i < numel; i++) compute[i] = ToBf16(master[i]);
  }
}

zerocts_status* AllGatherParameters(zerocts_engine* e, uint64_t step) {
  RefreshCompute(e, e->window);
  if (e->stage == 0) return NULL; /* every rank has updated everything */
  const size_t shard_bytes = (size_t)e->shard_numel * ElementBytes(e->param_dtype);
  char* compute = e->compute;
  TRY(Set(e, KeyOf("parameters", step, 0, e->rank), compute + e->rank * shard_bytes, shard_bytes));
  for (uint32_t rank = 0; rank < e->world_size; rank++) {
    if (rank == e->rank) continue;
    TRY(Get(e, KeyOf("parameters", step, 0, rank), compute + rank * shard_bytes, shard_bytes));
  }
  return NULL;
}

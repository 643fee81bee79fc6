/* full_layout.c: which elements of which parameters a rank holds. */
#include "conformance/specimen/full.h"

static int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }

void LayOut(zerocts_engine* e) {
  e->total_numel = 0;
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    e->parameters[p].offset = e->total_numel;
    e->total_numel += e->parameters[p].numel;
  }
  const int64_t world_size = e->world_size;
  const int64_t padding = (world_size - e->total_numel % world_size) % world_size;
  e->padded_numel = e->total_numel + padding;
  e->shard_numel = e->padded_numel / world_size;
  e->window = e->stage == 0 ? (Interval){0, e->padded_numel} : ShardOf(e, e->rank);
}

Interval ShardOf(const zerocts_engine* e, uint32_t rank) {
  const int64_t begin = rank * e->shard_numel;
  return (Interval){begin, begin + e->shard_numel};
}

Interval OwnedOf(const zerocts_engine* e, uint32_t p) {
  const Parameter* parameter = &e->parameters[p];
  const int64_t begin = Max(e->window.begin, parameter->offset);
  const int64_t end = Min(e->window.end, parameter->offset + parameter->numel);
  return (Interval){begin - parameter->offset, end - parameter->offset};
}

int64_t InWindow(const zerocts_engine* e, uint32_t p, int64_t index) {
  return e->parameters[p].offset + index - e->window.begin;
}

int64_t LargestBucket(const zerocts_engine* e) {
  int64_t largest = Min(e->bucket_numel, e->total_numel);
  for (uint32_t p = 0; p < e->n_parameters; p++) largest = Max(largest, e->parameters[p].numel);
  return largest;
}

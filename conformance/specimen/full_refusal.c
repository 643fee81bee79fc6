/* full_refusal.c: what full does not declare, it refuses. */
#include "conformance/specimen/full.h"

static zerocts_status* Unknown(const char* what, uint32_t asked) {
  return Error(ZEROCTS_UNIMPLEMENTED, "%s %u: full has none", what, asked);
}

static int IsFp32(uint32_t sums) { return sums == 0 || sums == ZEROCTS_FP32; }

static zerocts_status* RefuseParameter(const zerocts_parameter* p, uint32_t usual) {
  if (p->dtype != 0 && p->dtype != usual) return Unknown("a dtype of one parameter", p->dtype);
  if (p->flags != 0) return Unknown("flags of a parameter", p->flags);
  if (p->tied_to != 0) return Unknown("tied_to", p->tied_to);
  return NULL;
}

zerocts_status* RefuseGroup(const zerocts_group* group) {
  if (group->dampening != 0) return Error(ZEROCTS_UNIMPLEMENTED, "dampening: full has plain momentum");
  if (group->nesterov != 0) return Error(ZEROCTS_UNIMPLEMENTED, "nesterov: full has plain momentum");
  return NULL;
}

/* Only models that a subject computes itself can be split. */
static zerocts_status* RefuseTensorRanks(const zerocts_open_args* a) {
  if (a->tensor > 1) return Unknown("tensor", a->tensor);
  if (a->tensor_parts != ZEROCTS_PARTS_EVEN) return Unknown("tensor_parts", a->tensor_parts);
  return NULL;
}

zerocts_status* RefuseUndeclared(const zerocts_open_args* a) {
  if (a->replicas > 1) return Unknown("replicas", a->replicas);
  if (a->gradient_sync != ZEROCTS_SYNC_LAST_MICRO_BATCH) return Unknown("gradient_sync", a->gradient_sync);
  if (!IsFp32(a->accumulation_dtype)) return Unknown("accumulation_dtype", a->accumulation_dtype);
  if (!IsFp32(a->reduce_dtype)) return Unknown("reduce_dtype", a->reduce_dtype);
  if (a->clip_norm != ZEROCTS_NORM_TWO) return Unknown("clip_norm", a->clip_norm);
  if (a->clip_formula != ZEROCTS_CLIP_MIN) return Unknown("clip_formula", a->clip_formula);
  if (a->offload != ZEROCTS_OFFLOAD_NONE) return Unknown("offload", a->offload);
  if (a->overlap != ZEROCTS_OVERLAP_ANY) return Unknown("overlap", a->overlap);
  if (a->loss_scaling != NULL) return Unknown("loss scaling", a->loss_scaling->kind);
  if (a->experts > 1) return Unknown("experts", a->experts);
  for (uint32_t p = 0; p < a->n_parameters; p++) TRY(RefuseParameter(a->parameters[p], a->param_dtype));
  for (uint32_t g = 0; g < a->n_groups; g++) TRY(RefuseGroup(a->groups[g]));
  return RefuseTensorRanks(a);
}

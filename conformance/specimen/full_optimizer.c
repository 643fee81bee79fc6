/* full_optimizer.c: clipping, SGD and AdamW, bit for bit as reference/ops/ops.hpp and reference/optim/step.hpp write
 * them. */
#include <math.h>

#include "conformance/specimen/full.h"

float ClipCoefficient(float norm, float max_norm, float epsilon) {
  if (max_norm == 0) return 1;
  if (!isfinite(norm)) return NAN;
  const float coefficient = max_norm / (norm + epsilon);
  return coefficient < 1 ? coefficient : 1;
}

/* i, end: elements of the window. */
static void Sgd(zerocts_engine* e, const Group* group, float clip, int64_t i, int64_t end) {
  const zerocts_group* h = &group->values;
  for (; i < end; i++) {
    const float g = clip * e->mean[i];
    const float d = fmaf(h->weight_decay, e->master[i], g);
    e->moment1[i] = fmaf(h->momentum, e->moment1[i], d);
    e->master[i] = fmaf(-h->lr, e->moment1[i], e->master[i]);
  }
}

static void AdamW(zerocts_engine* e, const Group* group, float clip, int64_t i, int64_t end) {
  const zerocts_group* h = &group->values;
  const float correction1 = (float)(1 - group->beta1_product);
  const float correction2 = (float)(1 - group->beta2_product);
  for (; i < end; i++) {
    const float g = clip * e->mean[i];
    e->moment1[i] = fmaf(h->beta1, e->moment1[i], (1 - h->beta1) * g);
    e->moment2[i] = fmaf(h->beta2, e->moment2[i], ((1 - h->beta2) * g) * g);
    const float u = (e->moment1[i] / correction1) / (sqrtf(e->moment2[i] / correction2) + h->eps);
    e->master[i] = fmaf(-h->lr, fmaf(h->weight_decay, e->master[i], u), e->master[i]);
  }
}

static void AdvanceGroup(Group* group) {
  group->beta1_product *= (double)group->values.beta1;
  group->beta2_product *= (double)group->values.beta2;
}

void UpdateWindow(zerocts_engine* e, float clip) {
  for (uint32_t g = 0; g < e->n_groups; g++) AdvanceGroup(&e->groups[g]);
  for (uint32_t p = 0; p < e->n_parameters; p++) {
    const Group* group = &e->groups[e->parameters[p].group];
    const Interval owned = OwnedOf(e, p);
    const int64_t begin = InWindow(e, p, owned.begin), end = InWindow(e, p, owned.end);
    if (e->optimizer == ZEROCTS_SGD) Sgd(e, group, clip, begin, end);
    if (e->optimizer == ZEROCTS_ADAMW) AdamW(e, group, clip, begin, end);
  }
}

/* A plugin of another ABI major version. */
#include "conformance/abi/zerocts_subject.h"

ZEROCTS_EXPORT const size_t zerocts_subject_v2 = 8;

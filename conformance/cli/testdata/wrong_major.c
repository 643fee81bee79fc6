/* A subject of an ABI that does not exist yet. */
#include "conformance/abi/zerocts_subject.h"

ZEROCTS_EXPORT const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject), .abi_major = ZEROCTS_ABI_MAJOR + 1, .abi_minor = 0};

/* A plugin that does not say how much of the table it knows. */
#include "conformance/abi/zerocts_subject.h"

const zerocts_subject zerocts_subject_v1 = {.struct_size = 0, .abi_major = ZEROCTS_ABI_MAJOR};

/* A plugin that declares "frozen" without the function for it. */
#include "conformance/host/testdata/stubs.h"

const zerocts_subject zerocts_subject_v1 = {.struct_size = sizeof(zerocts_subject),
                                            .abi_major = 1,
                                            .abi_minor = 0,
                                            .capabilities = "{\"stages\": [1], \"frozen\": true}",
                                            STUBS};

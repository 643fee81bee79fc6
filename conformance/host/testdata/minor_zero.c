/* A plugin of minor version 0: its table ends where that one's did. */
#include "conformance/host/testdata/stubs.h"

const zerocts_subject zerocts_subject_v1 = {.struct_size = offsetof(zerocts_subject, set_frozen),
                                            .abi_major = 1,
                                            .abi_minor = 0,
                                            .capabilities = "{\"stages\": [1], \"optimizers\": [\"adamw\"]}",
                                            STUBS};

/* A plugin of minor version 0 that declares what only minor version 1 can ask for. */
#include "conformance/host/testdata/stubs.h"

const zerocts_subject zerocts_subject_v1 = {.struct_size = offsetof(zerocts_subject, set_frozen),
                                            .abi_major = 1,
                                            .abi_minor = 0,
                                            .capabilities = "{\"stages\": [1], \"tied\": true}",
                                            STUBS};

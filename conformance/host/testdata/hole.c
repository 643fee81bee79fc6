/* A plugin whose table lacks what must be there. */
#include "conformance/abi/zerocts_subject.h"

const zerocts_subject zerocts_subject_v1 = {.struct_size = sizeof(zerocts_subject),
                                            .abi_major = ZEROCTS_ABI_MAJOR,
                                            .name = "hole",
                                            .version = "1",
                                            .description = "",
                                            .capabilities = "{}"};

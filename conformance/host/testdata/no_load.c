/* A plugin that declares "checkpoint" and cannot load one. */
#include "conformance/host/testdata/stubs.h"

static zerocts_status* Save(zerocts_checkpoint_args* a) { return (void)a, NULL; }

const zerocts_subject zerocts_subject_v1 = {.struct_size = sizeof(zerocts_subject),
                                            .abi_major = 1,
                                            .abi_minor = 0,
                                            .capabilities = "{\"stages\": [1], \"checkpoint\": true}",
                                            STUBS,
                                            .save = Save};

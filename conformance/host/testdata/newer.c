/* A plugin of a newer header, whose table is longer than this host's. */
#define zerocts_subject_v1 of_this_header
#include "conformance/host/testdata/stubs.h"
#undef zerocts_subject_v1

typedef struct LongerTable {
  zerocts_subject known;
  char unknown[1 << 16];
} LongerTable;

ZEROCTS_EXPORT const LongerTable zerocts_subject_v1 = {.known = {.struct_size = sizeof(LongerTable),
                                                                 .abi_major = ZEROCTS_ABI_MAJOR,
                                                                 .abi_minor = ZEROCTS_ABI_MINOR + 1,
                                                                 .capabilities = "{\"stages\": [1]}",
                                                                 STUBS}};

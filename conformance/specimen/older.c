/* older.c: minimal.c as a plugin of an older header. Its table ends before the members that a subject may leave out;
 * what stands behind its end is no function. */
#define zerocts_subject_v1 minimal
#include "conformance/specimen/minimal.c"
#undef zerocts_subject_v1

ZEROCTS_EXPORT zerocts_subject zerocts_subject_v1;

__attribute__((constructor)) static void CutTable(void) {
  const size_t known_bytes = offsetof(zerocts_subject, set_frozen);
  memset(&zerocts_subject_v1, 0xa5, sizeof zerocts_subject_v1);
  memcpy(&zerocts_subject_v1, &minimal, known_bytes);
  zerocts_subject_v1.struct_size = known_bytes;
}

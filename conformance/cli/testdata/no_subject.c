/* A shared library like any other: it exports no subject. */
int zerocts_testdata_no_subject(void) { return 0; }

/* A library that is no plugin. */
int zerocts_unrelated = 1;

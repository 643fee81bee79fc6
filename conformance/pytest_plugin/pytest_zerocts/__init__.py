"""A run of `zerocts check` as test items of pytest."""

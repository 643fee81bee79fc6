// What libzerocts_engine.so shows; all else in it is hidden.
#pragma once
#define ZEROCTS_EXPORTED __attribute__((visibility("default")))

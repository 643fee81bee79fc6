// main of the room's test program: also the worker, as zerocts is.
#include <gtest/gtest.h>

#include <cstring>

#include "conformance/host/worker.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

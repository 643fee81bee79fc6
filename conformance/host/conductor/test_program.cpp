// main of the endings test: also the worker, as zerocts is, and a conductor to be killed.
#include <gtest/gtest.h>

#include <cstring>

#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/rank/worker.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "conductor") == 0) return zerocts::RunHangingCase();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// x86-64: the CPU is asked, once, for the features that each kernel file was compiled with.
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {

std::vector<const KernelTable*> RunnableKernels() {
  std::vector<const KernelTable*> tables = {&kPortableKernels};
  // The features named here are the flags of each file in CMakeLists.txt.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&kX86_64V3Kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      tables.push_back(&kX86_64V4Kernels);
    }
  }
  return tables;
}

}  // namespace zerocts

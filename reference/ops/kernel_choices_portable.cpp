// A build without kernels for newer instruction sets.
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {

std::vector<const KernelTable*> RunnableKernels() { return {&kPortableKernels}; }

}  // namespace zerocts

// Compiled with -ffp-contract=fast -mfma (CMakeLists.txt): the fault that the contraction probe must see.
#include "reference/numerics/contraction_probe.hpp"

namespace zerocts {

bool ContractingFileContracts() { return ContractsProductAndSum(); }

}  // namespace zerocts

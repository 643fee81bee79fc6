// The clauses of each family, as data; each list stands in its family's folder.
#pragma once
#include <vector>

#include "conformance/contract/clause.hpp"

namespace zerocts {

std::vector<Clause> OwnershipClauses();
std::vector<Clause> ReductionClauses();
std::vector<Clause> AccumulationClauses();
std::vector<Clause> NormClauses();
std::vector<Clause> OverflowClauses();
std::vector<Clause> StepClauses();
std::vector<Clause> AgreementClauses();
std::vector<Clause> AsynchronyClauses();
std::vector<Clause> CheckpointClauses();
std::vector<Clause> CostClauses();

}  // namespace zerocts

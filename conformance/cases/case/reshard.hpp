// A case whose checkpoint another number of ranks loads is two runs, each of them a case of its own.
#pragma once
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Is it such a case? The runs that it is made of are not.
bool IsResharded(const Case& c);
/// Its ranks train to the end and save on the way.
Case SavingRun(const Case& c);
/// A fresh engine on the other ranks loads and trains on with the data of these ranks.
Case LoadingRun(const Case& c);

/// Lets so many tensor ranks, for each of the case's data ranks, be at the other end of its checkpoint.
void LetTensorRanksLoad(Case& c, int tensor);

/// "2 ranks load what 3 saved: ", before what is said of the second run.
std::string LoadedBy(const Case& c);

/// Does the run begin with what others saved?
bool LoadsOnly(const Case& c);
/// Is that what others did, of this step (-1: the open)?
bool DoneByOthers(const Case& c, int64_t step);
/// The same training as that of a loading run, on the ranks that saved, up to the end and without a checkpoint.
Case RunOfSavers(const Case& loading);

}  // namespace zerocts

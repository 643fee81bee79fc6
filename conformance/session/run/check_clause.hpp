// One clause over all strata of a run.
#pragma once
#include "conformance/contract/judge.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// For each stratum the saved corpus first, then `cases` random cases of the space with seed H(run seed, clause,
/// stratum); counts features, shrinks a failure (a hang at most three times), saves its case and writes the records.
/// Strata that the subject cannot serve, or that have nothing of what is essential to the clause, are recorded as not
/// applicable.
void CheckClause(Session& session, const CaseSpace& space, const Judge& judge);

}  // namespace zerocts

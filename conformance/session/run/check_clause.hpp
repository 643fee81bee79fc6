// One clause over all configurations of a run.
#pragma once
#include <functional>
#include <vector>

#include "conformance/contract/judge.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// For each configuration the saved corpus first, then `cases` random cases of the space with seed H(run seed, clause,
/// configuration); counts features, shrinks a failure (a hang at most three times), saves its case and writes the
/// records. Configurations that the subject cannot serve, or that have nothing of what is essential to the clause, are
/// recorded as not applicable.
void CheckClause(Session& session, const CaseSpace& space, const Judge& judge);

/// Several threads take what comes next until all is done. One job: in their order, by the calling thread. Tasks do not
/// throw.
void RunTasks(int jobs, const std::vector<std::function<void()>>& tasks);

}  // namespace zerocts

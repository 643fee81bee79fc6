// Exceptions to statuses: nothing is thrown across the C border.
#pragma once
#include <functional>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts::engine {

/// Runs `call`; NULL when it returns, else a status with the text of what it threw.
zerocts_status* StatusOf(const std::function<void()>& call);

int CodeOf(const zerocts_status* status);
const char* MessageOf(const zerocts_status* status);
void FreeStatus(zerocts_status* status);

}  // namespace zerocts::engine

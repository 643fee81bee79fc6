// The status codes of zerocts_subject.h by name.
#pragma once
#include <string>

namespace zerocts {

/// "OUT_OF_MEMORY" for a status code of zerocts_subject.h; "code 17" for others.
std::string StatusCodeName(int code);

}  // namespace zerocts

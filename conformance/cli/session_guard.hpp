// The session of this process, open for a scope.
#pragma once
#include <utility>

#include "conformance/session/session.hpp"

namespace zerocts {

class OpenSession {
 public:
  explicit OpenSession(SessionSettings settings) { Session::Open(std::move(settings)); }
  ~OpenSession() { Session::Close(); }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;
};

}  // namespace zerocts

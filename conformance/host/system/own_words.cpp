#include "conformance/host/system/own_words.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ios>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <typeinfo>
#include <zmq.hpp>

#include "conformance/host/system/shortage.hpp"

namespace zerocts {
namespace {

std::string TypeName(const std::exception& failure) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(failure).name(), nullptr, nullptr, nullptr), std::free);
  return name ? name.get() : "a type without a name";
}

/// Thrown by this project with a sentence. What libraries throw has types of their own.
bool IsOurs(const std::exception& failure) {
  const std::type_info& type = typeid(failure);
  return type == typeid(std::runtime_error) || type == typeid(std::invalid_argument) ||
         TypeName(failure).starts_with("zerocts::");
}

bool IsErrno(const std::error_code& code) {
  return code.category() == std::system_category() || code.category() == std::generic_category();
}

}  // namespace

std::string SentenceOf(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure))
    return "memory ran out; free some, choose fewer ranks or --jobs 1, or raise its limit (ulimit -v)";
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&failure)) {
    return fmt::format("{}: {}", file->path1().string(), ReasonAndRemedy(file->code().value()));
  }
  if (const auto* socket = dynamic_cast<const zmq::error_t*>(&failure))
    return fmt::format("a socket: {}", ReasonAndRemedy(socket->num()));
  if (const auto* system = dynamic_cast<const std::system_error*>(&failure); system && IsErrno(system->code())) {
    return fmt::format("a call of the system failed: {}", ReasonAndRemedy(system->code().value()));
  }
  if (IsOurs(failure)) return failure.what();
  return fmt::format("zerocts itself failed with {}; report this with the command line as a bug of zerocts",
                     TypeName(failure));
}

}  // namespace zerocts

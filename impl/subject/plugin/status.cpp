#include "impl/subject/plugin/status.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "impl/comm/communicator.hpp"
#include "impl/layout/unimplemented.hpp"

struct zerocts_status {
  int code;
  std::string message;
};

namespace zerocts::engine {
namespace {

zerocts_status out_of_memory = {ZEROCTS_OUT_OF_MEMORY, "out of memory"};  // made when nothing else can be

zerocts_status* NewStatus(int code, const char* message) {
  try {
    return new zerocts_status{code, message};
  } catch (const std::bad_alloc&) {
    return &out_of_memory;
  }
}

}  // namespace

zerocts_status* StatusOf(const std::function<void()>& call) {
  try {
    call();
    return nullptr;
  } catch (const Unimplemented& error) {
    return NewStatus(ZEROCTS_UNIMPLEMENTED, error.what());
  } catch (const std::invalid_argument& error) {
    return NewStatus(ZEROCTS_INVALID_ARGUMENT, error.what());
  } catch (const CollectiveTimeout& error) {
    return NewStatus(ZEROCTS_DEADLINE_EXCEEDED, error.what());
  } catch (const std::bad_alloc& error) {
    const bool plain = typeid(error) == typeid(std::bad_alloc);  // a device's own says what was asked
    return plain ? &out_of_memory : NewStatus(ZEROCTS_OUT_OF_MEMORY, error.what());
  } catch (const std::exception& error) {
    return NewStatus(ZEROCTS_INTERNAL, error.what());
  }
}

int CodeOf(const zerocts_status* status) { return status ? status->code : ZEROCTS_OK; }
const char* MessageOf(const zerocts_status* status) { return status ? status->message.c_str() : ""; }
void FreeStatus(zerocts_status* status) {
  if (status != &out_of_memory) delete status;
}

}  // namespace zerocts::engine

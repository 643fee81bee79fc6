// How ranks find each other: plain values through the store, and numbers that nobody else has.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

template <class Value>
void SetValue(const Store& store, const std::string& key, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  store.set(key, std::string(reinterpret_cast<const char*>(&value), sizeof value));
}

template <class Value>
Value GetValue(const Store& store, const std::string& key) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value value;
  std::memcpy(&value, store.get(key, sizeof value).data(), sizeof value);
  return value;
}

inline uint64_t RandomNonce() {
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

}  // namespace zerocts::engine

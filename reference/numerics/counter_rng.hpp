// Counter-based random numbers: a value is a function of (seed, stream, index), so any rank makes any rank's data.
#pragma once
#include <cstdint>
#include <initializer_list>

namespace zerocts {

/// 64 random bits of (seed, stream, index) by three rounds of a 64-bit finalizer over the three words; equal on every
/// machine.
uint64_t RandomBits(uint64_t seed, uint64_t stream, uint64_t index);

/// Uniform in [-1, 1), a multiple of 2^-23.
float RandomUniform(uint64_t seed, uint64_t stream, uint64_t index);

/// Uniform integer in [0, bound), bound >= 1; by multiplication (bias below 2^-32).
uint64_t RandomBelow(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound);

/// A stream number from parts, order matters: Stream({kGradients, step, g, parameter}).
uint64_t Stream(std::initializer_list<uint64_t> parts);

}  // namespace zerocts

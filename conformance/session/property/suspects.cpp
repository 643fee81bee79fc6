#include "conformance/session/property/suspects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace zerocts {
namespace {

void Erase(std::set<std::string>& from, const std::set<std::string>& features) {
  std::erase_if(from, [&](const std::string& feature) { return features.contains(feature); });
}

}  // namespace

void Suspects::Clear(const Features& features) {
  cleared_.insert(features.begin(), features.end());
  if (suspected_) Erase(*suspected_, features);
}

bool Suspects::Add(const Features& features) {
  if (!suspected_) suspected_ = features;
  std::erase_if(*suspected_, [&](const std::string& feature) { return !features.contains(feature); });
  Erase(*suspected_, cleared_);
  return !suspected_->empty();
}

bool Suspects::Are(const Features& features) const {
  return suspected_ && !suspected_->empty() && std::ranges::includes(features, *suspected_);
}

std::string Suspects::Text() const { return suspected_ ? fmt::format("{}", fmt::join(*suspected_, ", ")) : ""; }

}  // namespace zerocts

#include "conformance/watch/batch_order.hpp"

namespace zerocts::watch {
namespace {

uint64_t Joined(const std::vector<uint64_t>& digests) {
  uint64_t joined = digests.size();
  for (const uint64_t digest : digests) joined = joined * 6364136223846793005u + digest;
  return joined;
}

}  // namespace

void BatchOrder::Take(int64_t number, const std::vector<uint64_t>& digests) {
  is_over_ = is_over_ || number != next_++;
  if (is_over_ || period_ > 0) return;
  const uint64_t batch = Joined(digests);
  again_ += !different_.insert(batch).second;
  Follow(batch);
  is_over_ = first_.size() + matched_ > kMost;
}

void BatchOrder::Follow(uint64_t batch) {
  if (candidate_ > 0 && batch == first_[matched_ % candidate_]) {
    ++matched_;
  } else {
    // What was matched belongs to a longer first epoch.
    for (size_t i = 0; i < matched_; ++i) first_.push_back(first_[i % candidate_]);
    candidate_ = !first_.empty() && batch == first_[0] ? first_.size() : 0;
    matched_ = candidate_ > 0;
    if (candidate_ == 0) first_.push_back(batch);
  }
  if (different_.size() >= kFewest && matched_ == candidate_ * (kTimes - 1)) period_ = static_cast<int64_t>(candidate_);
}

}  // namespace zerocts::watch

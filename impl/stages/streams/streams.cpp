#include "impl/stages/streams/streams.hpp"

#include <utility>

namespace zerocts::engine {
namespace {

/// Stands for an event of the device also where that has come already: whether it has is a matter of time.
class LoggedMoment : public StreamEvent {
 public:
  LoggedMoment(Event event, EventLog& log, const EventMark& mark) : event_(std::move(event)), log_(log), mark_(mark) {}
  void Synchronize() const override {
    if (event_) event_->Synchronize();
    log_.Wait(EventLog::kRankThread, mark_);
  }
  const Event& event() const { return event_; }
  const EventMark& mark() const { return mark_; }

 private:
  const Event event_;
  EventLog& log_;
  const EventMark mark_;
};

}  // namespace

LoggedStream::LoggedStream(std::unique_ptr<DeviceStream> stream, EventLog& log)
    : stream_(std::move(stream)), log_(log), queue_(log.AddQueue(*this, stream_->runs_at_once())) {}

void LoggedStream::Run(std::function<void()> work, std::vector<Overwritten> overwritten) {
  stream_->Run(std::move(work), std::move(overwritten));
}

Event LoggedStream::Record() {
  Event event = stream_->Record();
  if (!log_.on()) return event;
  return std::make_shared<LoggedMoment>(std::move(event), log_, log_.Now(queue_));
}

void LoggedStream::WaitFor(const Event& event) {
  const auto moment = std::dynamic_pointer_cast<const LoggedMoment>(event);
  stream_->WaitFor(moment ? moment->event() : event);
  if (moment) log_.Wait(queue_, moment->mark());
}

void LoggedStream::Synchronize() {
  stream_->Synchronize();
  log_.Wait(EventLog::kRankThread, log_.Now(queue_));
}

}  // namespace zerocts::engine

#include "bench/record/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include "conformance/report/words/text.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

/// The first line of a file; "": it cannot be read.
std::string FirstLine(const char* path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// Behind "key : " in /proc/cpuinfo; "" where it does not say.
std::string CpuInfo(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

int64_t MemoryBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? pages * page : 0;
}

/// A machine that was started anew may have a page more or less; whole GiB are the same.
std::string FingerprintOf(const std::string& architecture, const RecordedMachine& machine) {
  const std::string text = fmt::format("{}/{}/{}/{}", architecture, machine.cpu, machine.cores,
                                       (machine.memory_bytes + (int64_t{1} << 29)) >> 30);
  return HashOfBytes(text.data(), text.size()).substr(0, 16);
}

}  // namespace

RecordedMachine MachineOfRecords() {
  utsname system{};
  uname(&system);
  RecordedMachine machine{.cpu = CpuInfo("model name"),
                          .cores = static_cast<int>(std::thread::hardware_concurrency()),
                          .memory_bytes = MemoryBytes(),
                          .governor = FirstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
                          .kernel = system.release};
  machine.fingerprint = FingerprintOf(system.machine, machine);
  return machine;
}

std::string DateOfRecords() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// "cpu user nice system idle iowait irq softirq steal guest ..", in ticks of all processors; guest stands in user too.
std::optional<StealClock::Ticks> StealClock::Read() {
  std::istringstream line(FirstLine("/proc/stat"));
  std::string name;
  int64_t field[8] = {};
  line >> name;
  Ticks ticks;
  for (int64_t& value : field) {
    if (!(line >> value)) return std::nullopt;
    ticks.all += value;
  }
  ticks.stolen = field[7];
  return ticks;
}

StealClock::StealClock() : begin_(Read()) {}

std::optional<double> StealClock::fraction() const {
  const std::optional<Ticks> now = Read();
  if (!begin_ || !now) return std::nullopt;
  const int64_t all = now->all - begin_->all;
  if (all <= 0) return std::nullopt;  // no tick since
  return static_cast<double>(now->stolen - begin_->stolen) / static_cast<double>(all);
}

BenchRecord BlankRecord(const std::string& subject, int world_size, const StealClock& steal) {
  BenchRecord record;
  record.subject = PrintableLine(subject);
  record.commit = CommitOfRecords();
  record.compiler = CompilerOfRecords();
  record.machine = MachineOfRecords();
  record.steal_fraction = steal.fraction();
  record.oversubscribed = world_size > record.machine.cores;
  record.date = DateOfRecords();
  return record;
}

}  // namespace zerocts

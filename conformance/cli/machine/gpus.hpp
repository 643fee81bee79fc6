// The GPUs of this machine, as NVIDIA's own tool tells them: the conductor links no CUDA.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts {

struct Gpu {
  int index = 0;
  std::string name, uuid, driver;
  int64_t memory_mib = 0;
};

struct GpuSurvey {
  std::vector<Gpu> gpus;
  std::string why_none;  // when there are none
};

/// Asks nvidia-smi, for 30 seconds at most.
GpuSurvey SurveyGpus();

/// What nvidia-smi prints: "index, name, uuid, memory in MiB, driver", a line per GPU. Throws HarnessError at another
/// line.
std::vector<Gpu> GpusFromListing(const std::string& listing);

/// A resource specification file of CTest: every GPU one slot of "gpus".
std::string CtestResourceSpec(const std::vector<Gpu>& gpus);

}  // namespace zerocts

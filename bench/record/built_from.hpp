// What this build was made from. built_from.cmake writes the values each time the benchmarks are built.
#pragma once

namespace zerocts {

struct BuiltFrom {
  const char* commit;  // "": the sources stand in no repository
  bool dirty;
  const char* commit_date;
  const char* compiler;
  const char* compiler_version;
  const char* flags;
};

extern const BuiltFrom kBuiltFrom;

}  // namespace zerocts

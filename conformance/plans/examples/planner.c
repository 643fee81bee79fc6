/* A planner for `zerocts plan fuzz --planner plugin:planner.so`: part s of a tensor is [s * part, (s + 1) * part). */
#include <stdarg.h>
#include <stdio.h>

#include "zerocts_planner.h"

static void say(const zerocts_plan_args* args, const char* format, ...) {
  char text[160];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  args->say(args->to, text);
}

static void say_intervals(const zerocts_plan_args* args, long long elements) {
  const long long part = (elements + args->shards - 1) / args->shards; /* the last parts are shorter, or none */
  for (long long s = 0; s * part < elements; ++s)
    say(args, "%s[%lld, %lld, %lld]", s ? ", " : "", s * part, (s + 1) * part < elements ? (s + 1) * part : elements,
        s);
}

static void say_divisions(const zerocts_plan_args* args) {
  const char* separator = "";
  for (uint32_t t = 0; t < args->tensor_count; ++t) {
    if (args->tensors[t].tied_to >= 0) continue; /* another name has nothing of its own */
    say(args, "%s{\"tensors\": [[%u, %u]], \"rule\": \"intervals\", \"intervals\": [", separator, t, t + 1);
    say_intervals(args, args->tensors[t].elements);
    say(args, "]}");
    separator = ", ";
  }
}

ZEROCTS_EXPORT int32_t zerocts_plan_v1(const zerocts_plan_args* args) {
  const char* const states[] = {"parameters", "gradients", "optimizer"};
  const int first = 3 - args->stage; /* stage 1 divides the optimizer state, 2 gradients too, 3 parameters too */
  say(args, "{\"format\": \"zerocts-plan\", \"version\": 1");
  for (int i = 0; i < 3; ++i) {
    say(args, ", \"%s\": ", states[i]);
    if (i != first) say(args, "\"%s\"", i < first ? "whole" : states[first]);
    if (i != first) continue;
    say(args, "{\"axes\": [\"shard\"], \"divisions\": [");
    say_divisions(args);
    say(args, "]}");
  }
  say(args, "}");
  return ZEROCTS_PLAN_OK;
}

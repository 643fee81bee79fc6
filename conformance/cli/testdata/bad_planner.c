/* A planner that does what its option "do" says, and else divides everything evenly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zerocts_planner.h"

static int told(const zerocts_plan_args* args, const char* what) {
  char option[64];
  snprintf(option, sizeof option, "\"do\":\"%s\"", what);
  return strstr(args->request, option) != NULL;
}

static int32_t say(const zerocts_plan_args* args, const char* text, int32_t status) {
  args->say(args->to, text);
  return status;
}

ZEROCTS_EXPORT int32_t zerocts_plan_v1(const zerocts_plan_args* args) {
  if (told(args, "crash")) abort();
  if (told(args, "hang")) sleep(1000);
  if (told(args, "exit")) exit(0);
  if (told(args, "refuse")) return say(args, "no plan today", ZEROCTS_PLAN_UNIMPLEMENTED);
  if (told(args, "fail")) return say(args, "no memory", ZEROCTS_PLAN_FAILED);
  if (told(args, "print")) puts("what a plugin prints is no answer");
  return say(
      args,
      "{\"format\": \"zerocts-plan\", \"version\": 1, \"gradients\": \"parameters\", \"optimizer\": \"parameters\","
      " \"parameters\": {\"axes\": [\"shard\"], \"divisions\": [{\"rule\": \"even\"}]}}",
      ZEROCTS_PLAN_OK);
}

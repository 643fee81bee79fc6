// The interpreter of PTX: what instructions give at the edges of their types, and that each fault of a kernel is seen.
#include "impl/cuda_on_host/kernel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace zerocts::engine::ptx {
namespace {

/// A kernel with one parameter, %rd0: where its results go.
std::string TextOf(const std::string& body) {
  return fmt::format(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry Tested(
	.param .u64 Tested_param_0
)
{{
	.reg .pred 	%p<4>;
	.reg .b16 	%rs<4>;
	.reg .f32 	%f<4>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<4>;
	.shared .align 8 .b8 room[64];
	ld.param.u64 	%rd0, [Tested_param_0];
	mov.u32 	%r0, %tid.x;
{}
	ret;
}}
)",
                     body);
}

/// What stands in eight words of global memory after `blocks` blocks of `threads`.
std::vector<uint64_t> WordsAfter(const std::string& body, int threads = 1, int64_t blocks = 1) {
  const std::map<std::string, Kernel> kernels = KernelsOf(TextOf(body));
  std::vector<uint64_t> words(8);
  GlobalMemory global;
  global.Add(words.data(), 64);
  const uint64_t* address = words.data();
  std::vector<std::byte> parameters(sizeof(address));
  std::memcpy(parameters.data(), &address, sizeof(address));
  RunGrid(kernels.at("Tested"), parameters, global, blocks, threads, [] { return true; });
  return words;
}

/// The result of "opcode %rd1, operands".
uint64_t Result(const std::string& statement) {
  return WordsAfter("\t" + statement + ";\n\tst.global.u64 \t[%rd0], %rd1;")[0];
}
float FloatResult(const std::string& statement) {
  const auto bits = static_cast<uint32_t>(WordsAfter("\t" + statement + ";\n\tst.global.f32 \t[%rd0], %f1;")[0]);
  return __builtin_bit_cast(float, bits);
}

std::string FaultOf(const std::string& body, int threads = 1, int64_t blocks = 1) {
  try {
    WordsAfter(body, threads, blocks);
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "no fault";
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Ptx, IntegersWrapAndShiftsClear) {
  EXPECT_EQ(Result("add.s32 \t%rd1, 2147483647, 1") & 0xffffffffu, 0x80000000u);
  EXPECT_EQ(Result("sub.s64 \t%rd1, 3, 5"), ~uint64_t{1});
  EXPECT_EQ(Result("mul.wide.s32 \t%rd1, -3, 5"), static_cast<uint64_t>(-15));
  EXPECT_EQ(Result("mul.wide.u32 \t%rd1, 0xffffffff, 2"), 0x1fffffffeu);
  EXPECT_EQ(Result("mad.lo.s32 \t%rd1, 0x10000, 0x10000, -3"), static_cast<uint64_t>(-3));
  EXPECT_EQ(Result("div.s64 \t%rd1, -7, 2"), static_cast<uint64_t>(-3));
  EXPECT_EQ(Result("rem.s64 \t%rd1, -7, 2"), static_cast<uint64_t>(-1));
  EXPECT_EQ(Result("div.s64 \t%rd1, 0x8000000000000000, -1"), uint64_t{1} << 63);
  EXPECT_EQ(Result("shl.b64 \t%rd1, 1, 63"), uint64_t{1} << 63);
  EXPECT_EQ(Result("shl.b64 \t%rd1, 1, 64"), 0u);
  EXPECT_EQ(Result("shr.s64 \t%rd1, -8, 1"), static_cast<uint64_t>(-4));
  EXPECT_EQ(Result("shr.s64 \t%rd1, -8, 200"), ~uint64_t{0});
  EXPECT_EQ(Result("shr.u64 \t%rd1, -8, 60"), 15u);
  EXPECT_EQ(Result("shr.u64 \t%rd1, -8, 64"), 0u);
  EXPECT_EQ(Result("cvt.s64.s32 \t%rd1, -1"), ~uint64_t{0});
  EXPECT_EQ(Result("cvt.u64.u32 \t%rd1, -1"), 0xffffffffu);
  EXPECT_EQ(Result("bfi.b32 \t%rd1, 0xff, 0x12345678, 8, 4"), 0x12345f78u);
  EXPECT_EQ(Result("max.s64 \t%rd1, -1, 1"), 1u);
  EXPECT_EQ(Result("max.u64 \t%rd1, -1, 1"), ~uint64_t{0});
}

TEST(Ptx, FloatsAreRoundedOnce) {
  EXPECT_EQ(FloatResult("fma.rn.f32 \t%f1, 0f3F800001, 0f3F800001, 0fBF800002"), 0x1p-46f);
  EXPECT_EQ(FloatResult("div.rn.f32 \t%f1, 0f3F800000, 0f40400000"), 1.0f / 3.0f);
  EXPECT_EQ(FloatResult("mul.rn.f32 \t%f1, 0f00800000, 0f3F000000"), 0x1p-127f);  // nothing becomes zero
  EXPECT_EQ(FloatResult("cvt.rn.f32.s64 \t%f1, 16777217"), 16777216.0f);
  EXPECT_EQ(FloatResult("max.f32 \t%f1, 0f7FC00000, 0f3F800000"), 1.0f);
  EXPECT_TRUE(std::signbit(FloatResult("min.f32 \t%f1, 0f00000000, 0f80000000")));
  EXPECT_EQ(FloatResult("copysign.f32 \t%f1, 0f80000000, 0f3F800000"), -1.0f);
}

TEST(Ptx, ComparisonsWithANanAreFalseButForTheUnordered) {
  const auto holds = [](const std::string& comparison, const std::string& b) {
    return FloatResult("setp." + comparison + ".f32 \t%p1, 0f3F800000, " + b +
                       ";\n\tselp.f32 \t%f1, 0f3F800000, 0f00000000, %p1") == 1.0f;
  };
  for (const char* comparison : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(holds(comparison, "0f7FC00000")) << comparison;
  for (const char* comparison : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(holds(comparison, "0f7FC00000")) << comparison;
  EXPECT_TRUE(holds("ne", "0f40000000") && holds("lt", "0f40000000") && holds("ltu", "0f40000000"));
  EXPECT_FALSE(holds("gt", "0f40000000") || holds("geu", "0f40000000"));
}

TEST(Ptx, ThreadsMeetAtBarriers) {
  const std::vector<uint64_t> words = WordsAfter(R"(	shl.b32 	%r1, %r0, 3;
	cvt.u64.u32 	%rd1, %r0;
	st.shared.u64 	[%r1], %rd1;
	bar.sync 	0;
	xor.b32 	%r1, %r1, 8;
	ld.shared.u64 	%rd2, [%r1];
	shl.b64 	%rd3, %rd1, 3;
	add.s64 	%rd3, %rd0, %rd3;
	st.global.u64 	[%rd3], %rd2;)",
                                                 4);
  EXPECT_EQ(std::vector<uint64_t>(words.begin(), words.begin() + 4), (std::vector<uint64_t>{1, 0, 3, 2}));
}

TEST(Ptx, ThreadsThatPartDoWhatEachWouldDoAlone) {
  // Each goes round as often as its number says, odd ones by another way; all meet at the end.
  const std::vector<uint64_t> words = WordsAfter(R"(	mov.u32 	%r1, 0;
	mov.u64 	%rd1, 0;
	and.b32 	%r2, %r0, 1;
	setp.eq.s32 	%p1, %r2, 1;
$Round:
	setp.ge.s32 	%p2, %r1, %r0;
	@%p2 bra 	$Done;
	add.s32 	%r1, %r1, 1;
	@!%p1 bra 	$Even;
	add.s64 	%rd1, %rd1, 100;
	bra 	$Round;
$Even:
	add.s64 	%rd1, %rd1, 1;
	bra.uni 	$Round;
$Done:
	bar.sync 	0;
	shl.b32 	%r3, %r0, 3;
	cvt.u64.u32 	%rd2, %r3;
	add.s64 	%rd2, %rd0, %rd2;
	st.global.u64 	[%rd2], %rd1;)",
                                                 7);
  EXPECT_EQ(words, (std::vector<uint64_t>{0, 100, 2, 300, 4, 500, 6, 0}));
}

TEST(Ptx, SeveralValuesAreLoadedAndStoredAtOnce) {
  const std::vector<uint64_t> words = WordsAfter(R"(	st.shared.v2.u64 	[room+16], {5, 6};
	ld.shared.v2.u64 	{%rd1, %rd2}, [room+16];
	st.global.v2.u64 	[%rd0+16], {%rd2, %rd1};
	st.global.v4.u32 	[%rd0+32], {1, 2, 3, 4};)");
  EXPECT_EQ(words, (std::vector<uint64_t>{0, 0, 6, 5, uint64_t{2} << 32 | 1, uint64_t{4} << 32 | 3, 0, 0}));
  EXPECT_HAS(FaultOf("\tst.global.v4.u32 \t[%rd0+8], {1, 2, 3, 4};"), "expected a multiple of 16");
  EXPECT_HAS(FaultOf("\tld.global.v2.u64 \t{%rd1, %rd2}, [%rd0+8];"), "expected a multiple of 16");
  EXPECT_HAS(FaultOf("\tst.shared.v4.u32 \t[room+56], {1, 2, 3, 4};"), "expected a multiple of 16");
}

TEST(Ptx, WhatRacesIsAFault) {
  const std::string meets = "\tbar.sync \t0;\n";
  EXPECT_HAS(FaultOf("\tst.shared.u32 \t[room], %r0;\n" + meets, 2),
             "thread 1 writes shared memory that thread 0 wrote");
  const std::string reads =
      "\tst.shared.u32 \t[room], %r0;\n\tbra \t$L;\n$S:\n\tld.shared.u32 \t%r1, [room];\n\tbra \t$E;\n$L:\n";
  EXPECT_HAS(FaultOf("\tsetp.eq.s32 \t%p1, %r0, 1;\n\t@%p1 bra \t$S;\n" + reads + "$E:\n" + meets, 2),
             "thread 1 reads shared memory that thread 0 wrote");
  EXPECT_HAS(FaultOf("\tld.shared.u32 \t%r1, [room];\n"), "reads shared memory that nobody has written");
  const std::string first_block_writes =
      "\tmov.u32 \t%r1, %ctaid.x;\n\tsetp.ne.s32 \t%p1, %r1, 0;\n\t@%p1 bra \t$S;\n\tst.shared.u32 \t[room], "
      "%r0;\n$S:\n" +
      meets + "\tld.shared.u32 \t%r1, [room];\n";
  EXPECT_EQ(FaultOf(first_block_writes), "no fault");
  EXPECT_HAS(FaultOf(first_block_writes, 1, 2), "block 1, thread 0, line");
  EXPECT_HAS(FaultOf(first_block_writes, 1, 2), "reads shared memory that nobody has written");
  EXPECT_EQ(FaultOf("\tsetp.ne.s32 \t%p1, %r0, 0;\n\t@%p1 bra \t$B;\n\tst.shared.u64 \t[room], 0;\n$B:\n" + meets +
                        "\tatom.shared.add.u64 \t%rd1, [room], 1;\n" + meets + "\tld.shared.u64 \t%rd1, [room];",
                    3),
            "no fault");
}

TEST(Ptx, StrayAddressesAreAFault) {
  EXPECT_HAS(FaultOf("\tst.global.u64 \t[%rd0+64], 1;"), "0 bytes behind an allocation of 64");
  EXPECT_HAS(FaultOf("\tst.global.u64 \t[%rd0+60], 1;"), "behind an allocation of 64");
  EXPECT_HAS(FaultOf("\tst.global.u32 \t[%rd0+2], 1;"), "expected a multiple of 4");
  EXPECT_HAS(FaultOf("\tmov.u64 \t%rd1, 8;\n\tld.global.u64 \t%rd1, [%rd1];"), "which no allocation holds");
  EXPECT_HAS(FaultOf("\tst.shared.u64 \t[room+64], 1;"), "expected to stay within its 64 bytes");
  EXPECT_HAS(FaultOf("\tld.param.u64 \t%rd1, [Tested_param_0+8];"), "expected to stay within its 8 bytes");
}

TEST(Ptx, ThreadsThatDoNotMeetAreAFault) {
  EXPECT_HAS(FaultOf("\tsetp.eq.s32 \t%p1, %r0, 1;\n\t@%p1 bra \t$E;\n\tbar.sync \t0;\n$E:\n", 2),
             "expected the same barrier");
  EXPECT_HAS(
      FaultOf(
          "\tsetp.eq.s32 \t%p1, %r0, 1;\n\t@%p1 bra \t$B;\n\tbar.sync \t0;\n\tbra \t$E;\n$B:\n\tbar.sync \t0;\n$E:\n",
          2),
      "thread 0 stops at line 18 of the PTX and thread 1 at line 21: expected the same barrier");
}

TEST(Ptx, AFaultSaysWhere) {
  EXPECT_EQ(FaultOf("\tdiv.u64 \t%rd1, 1, 0;"),
            "kernel Tested, block 0, thread 0, line 16 of the PTX: divides by zero");
}

TEST(Ptx, WhatIsNotKnownIsRefused) {
  EXPECT_EQ(FaultOf("\tadd.rn.ftz.f32 \t%f1, %f1, %f1;"),
            "line 16 of the PTX: this instruction is not known here: add.rn.ftz.f32 \t%f1, %f1, %f1");
  EXPECT_HAS(FaultOf("\tadd.s32 \t%r1, %r9, 1;"), "no register, variable or number '%r9'");
  EXPECT_HAS(FaultOf("\tbra \t$Nowhere;"), "no such label");
  EXPECT_HAS(FaultOf("\tbar.sync \t1;"), "expected a barrier of all threads");
  EXPECT_HAS(FaultOf("\t@%p1 ret;"), "expected a branch behind a predicate");
  EXPECT_HAS(FaultOf("\tret;\n}\n.visible .entry Other()\n{\n\t.reg .b32 %r<1>;\n\tmov.u32 %r0, 1;\n}\n.visible .entry "
                     "Third()\n{\n"),
             "expected ret at the end of a kernel: Other");
}

}  // namespace
}  // namespace zerocts::engine::ptx

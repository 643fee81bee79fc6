#include "conformance/watch/record_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "conformance/host/system/errors.hpp"
#include "conformance/watch/frame_for_test.hpp"
#include "conformance/watch/record_stream.hpp"
#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

namespace fs = std::filesystem;

const std::string kEndRecord = R"({"kind":"end","rank":1,"world":3})";

std::string ScaleHead(int rank, int64_t step) {
  return R"({"kind":"loss_scale","world":3,"scale":1.0,"skips":false,"clipped_scaled":false,"rank":)" +
         std::to_string(rank) + R"(,"step":)" + std::to_string(step) + "}";
}

std::string ReadHead(int rank, int64_t step) {
  return R"({"kind":"read","world":3,"number":0,"parameters":[],"rank":)" + std::to_string(rank) + R"(,"step":)" +
         std::to_string(step) + "}";
}

class Records : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Written(int records, int64_t most_bytes = 1 << 20) {
    RecordFile file(path_, most_bytes);
    for (int i = 0; i < records; ++i) Append(file, kEndRecord);
    file.Close(false);
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void Append(RecordFile& file, const std::string& head, const std::string& bits = "") {
    file.Append(RecordFrom(head, bits), Frame(head, bits));
  }
  void Write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  /// What is said of the file.
  std::string Complaint() {
    try {
      ReadRecords(path_, [](const Record&) {});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_ = fs::temp_directory_path() / ("records_test." + std::to_string(getpid()));
  std::string path_ = (folder_ / "records").string();
};

TEST_F(Records, AreReadAsTheyWereWritten) {
  Written(5);
  int read = 0;
  EXPECT_EQ(ReadRecords(path_, [&](const Record& r) { read += std::get<EndRecord>(r).from.rank == 1; }).left_out, 0);
  EXPECT_EQ(read, 5);
}

TEST_F(Records, BeyondTwiceTheBoundAreCounted) {
  Written(5, 2 * static_cast<int64_t>(Frame(kEndRecord).size()));
  EXPECT_EQ(ReadRecords(path_, [](const Record&) {}).left_out, 1);
}

TEST_F(Records, BeyondTheBoundAreThoseOfWholeSteps) {
  constexpr int64_t kSteps = 100, kMost = 3000;
  RecordFile file(path_, kMost);
  for (int64_t step = 0; step < kSteps; ++step) {
    for (const int rank : {0, 1}) Append(file, ScaleHead(rank, step));
    for (const int rank : {1, 0}) Append(file, ReadHead(rank, step + 1));
  }
  Append(file, kEndRecord);
  file.Close(false);
  EXPECT_LT(fs::file_size(path_), static_cast<uintmax_t>(kMost + 200));
  EXPECT_GT(fs::file_size(path_), static_cast<uintmax_t>(kMost / 2));
  std::map<int64_t, int> of_step;
  bool has_end = false;
  const WrittenRun run = ReadRecords(path_, [&](const Record& record) {
    if (const auto* scale = std::get_if<LossScaleRecord>(&record)) ++of_step[scale->step];
    if (const auto* read = std::get_if<ReadRecord>(&record)) ++of_step[read->step - 1];
    has_end = has_end || std::holds_alternative<EndRecord>(record);
  });
  EXPECT_TRUE(has_end);
  EXPECT_TRUE(run.is_uneven);
  EXPECT_EQ(run.left_out, 4 * (kSteps - static_cast<int64_t>(of_step.size())));
  for (int64_t step = 0; step < kSteps; step += run.one_in) EXPECT_EQ(of_step[step], 4) << step;
  EXPECT_EQ(static_cast<int64_t>(of_step.size()), (kSteps - 1) / run.one_in + 1);
}

TEST_F(Records, OfAStepThatIsTooLargeEndWithIt) {
  RecordFile file(path_, 300);
  for (int i = 0; i < 9; ++i) Append(file, ScaleHead(0, 0));
  Append(file, ReadHead(0, 1));
  file.Close(false);
  EXPECT_EQ(ReadRecords(path_, [](const Record& r) { EXPECT_TRUE(std::holds_alternative<LossScaleRecord>(r)); }).one_in,
            1);
}

TEST_F(Records, OfAnUnevenRunSaySo) {
  for (const bool is_uneven : {false, true}) {
    RecordFile file(path_, 300);
    file.Close(is_uneven);
    EXPECT_EQ(ReadRecords(path_, [](const Record&) {}).is_uneven, is_uneven);
  }
}

TEST_F(Records, OnAFullDiskSaySo) {
  for (const int records : {0, 5}) {
    RecordFile file("/dev/full", 1 << 20);
    for (int i = 0; i < records; ++i) Append(file, kEndRecord);
    file.Close(false);
    EXPECT_EQ(file.problem(),
              "records cannot be written: No space left on device; what was seen is judged, but not again");
  }
}

TEST_F(Records, ThatAreCutAreRefused) {
  const std::string whole = Written(5);
  for (const size_t cut : {1, 10, 30, 60, 100}) {
    Write(whole.substr(0, whole.size() - cut));
    EXPECT_NE(Complaint().find("cut off"), std::string::npos) << cut << ": " << Complaint();
  }
}

TEST_F(Records, ThatAreForeignOrOfAnotherVersionAreRefused) {
  Write("PK\x03\x04 something else");
  EXPECT_NE(Complaint().find("another kind of file"), std::string::npos) << Complaint();
  Write("zerocts-watch-records 1\n");
  EXPECT_NE(Complaint().find("of another"), std::string::npos) << Complaint();
  fs::remove(path_);
  EXPECT_NE(Complaint().find("expected records"), std::string::npos) << Complaint();
}

TEST_F(Records, ThatAreDamagedAreRefused) {
  std::string bytes = Written(3);
  bytes[bytes.find("kind")] = 'K';
  Write(bytes);
  EXPECT_NE(Complaint().find("record 1 is damaged"), std::string::npos) << Complaint();
}

TEST(RecordFrom, RefusesWhatItDoesNotDescribe) {
  EXPECT_THROW(RecordFrom("{}", ""), BadRecord);
  EXPECT_THROW(RecordFrom(R"({"kind":"fish","rank":0,"world":1})", ""), BadRecord);
  EXPECT_THROW(RecordFrom(R"({"kind":"end","rank":3,"world":3})", ""), BadRecord);
  EXPECT_THROW(RecordFrom(R"({"kind":"end","rank":0,"world":1,"more":1})", ""), BadRecord);
  EXPECT_THROW(RecordFrom(kEndRecord, "x"), BadRecord);  // bits that nothing names
  const std::string read = R"({"kind":"read","rank":0,"world":1,"number":0,"step":0,"parameters":[0,1]})";
  EXPECT_THROW(RecordFrom(read, std::string(15, '\0')), BadRecord);
  EXPECT_NO_THROW(RecordFrom(read, std::string(16, '\0')));
}

TEST(RecordStream, WaitsForTheRest) {
  RecordStream stream;
  const std::string bytes = Frame(kEndRecord);
  for (const char byte : bytes.substr(0, bytes.size() - 1)) {
    stream.Append({&byte, 1});
    EXPECT_FALSE(stream.Pop());
  }
  stream.Append({&bytes.back(), 1});
  const auto next = stream.Pop();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->bytes, bytes);
  EXPECT_TRUE(stream.IsEmpty());
}

TEST(RecordStream, RefusesALengthBeyondItsLimit) {
  RecordStream stream;
  stream.Append(std::string(8, '\xff'));
  EXPECT_THROW(stream.Pop(), BadRecord);
}

TEST(TensorBits, HaveTheValuesOfTheirDtype) {
  const auto value = [](std::string bits, const std::string& dtype) {
    return TensorBits(bits).Elements(1, dtype)[0].value;
  };
  EXPECT_EQ(value("\x80\x3f", "bfloat16"), 1);
  EXPECT_EQ(value(std::string("\x00\x3c", 2), "float16"), 1);
  EXPECT_EQ(value(std::string("\x01\x00", 2), "float16"), std::ldexp(1, -24));
  EXPECT_EQ(value(std::string("\x00\x00\x80\xbf", 4), "float32"), -1);
  EXPECT_EQ(value("\xfe", "int8"), -2);
  EXPECT_EQ(value("\xfe", "uint8"), 254);
  EXPECT_EQ(value("\x38", "float8_e4m3fn"), 0x38);  // its bits
  EXPECT_THROW(value("\xfe", "float4"), std::invalid_argument);
}

TEST(Rounded, IsToNearestEven) {
  EXPECT_EQ(Rounded(257, "bfloat16"), 256);
  EXPECT_EQ(Rounded(259, "bfloat16"), 260);
  EXPECT_EQ(Rounded(1 + 0x1p-24, "float32"), 1);
  EXPECT_EQ(Rounded(0x1p-150, "float32"), 0);
  EXPECT_EQ(Rounded(70000, "float16"), INFINITY);
  EXPECT_EQ(Rounded(1e9 + 1, "int64"), 1e9 + 1);
}

}  // namespace
}  // namespace zerocts::watch

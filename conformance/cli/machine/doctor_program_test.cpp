// zerocts doctor on machines that lack something.
#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

TEST_F(Program, DoctorSaysThatTheMainJobCanRun) {
  const Ended ended = Run("doctor");
  if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "mpirun is not installed";
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "\nThe main job can run here.\n")) << ended.out;
  for (const char* part : {"ok      subject native: ", "ok      ranks under local: 2 ranks of native ran a case",
                           "ok      limits of this process: ", "torch 2."})
    EXPECT_TRUE(Has(ended.out, part)) << part << "\n" << ended.out;
}

TEST_F(Program, DoctorNamesWhatMendsAMissingMpirun) {
  fs::create_directory(folder() / "bin");
  for (const char* tool : {"sh", "rm", "sleep", "timeout"}) {
    fs::create_symlink(
        fs::exists(std::string("/bin/") + tool) ? std::string("/bin/") + tool : std::string("/usr/bin/") + tool,
        folder() / "bin" / tool);
  }
  const Ended ended = Run("doctor", "PATH=\"$PWD/bin\"");
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "MISSING mpirun: is not on the PATH\n        needed for the main job")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: apt-get install openmpi-bin")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "ok      ranks under local: ")) << "the others are still examined\n" << ended.out;
  EXPECT_TRUE(Has(ended.out, "missing numpy and pyzmq: ")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: apt-get install python3-numpy python3-zmq")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: apt-get install python3-jsonschema")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "\nThe main job cannot run here: 1 thing is missing.\n")) << ended.out;
}

TEST_F(Program, DoctorMendsThePythonThatAnswers) {
  fs::create_directory(folder() / "bin");
  Put("bin/python3",
      "#!/bin/sh\ncase $2 in *executable*) echo /opt/own/python3 ;; *) echo 'No module named zmq' >&2; exit 1 ;; "
      "esac\n");
  fs::permissions(folder() / "bin/python3", fs::perms::owner_all);
  const Ended ended = Run("doctor", "PATH=\"$PWD/bin:$PATH\"");
  EXPECT_TRUE(Has(ended.out, "missing numpy and pyzmq: ")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: /opt/own/python3 -m pip install numpy pyzmq; or start ranks by")) << ended.out;
}

TEST_F(Program, DoctorNamesALimitThatIsTooLow) {
  const Ended ended = Run("doctor", "sh -c 'ulimit -n 40; exec \"$0\" \"$@\"'");
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "MISSING limits of this process: the limit of open files is too low for a run: expected "))
      << ended.out;
  EXPECT_TRUE(Has(ended.out, "ulimit -n")) << ended.out;
}

TEST_F(Program, DoctorNamesAMachineWhoseNameHasNoAddress) {
  const std::string renamed =
      "RES_OPTIONS='timeout:1 attempts:1' unshare --uts sh -c 'hostname nowhere.invalid && exec \"$0\" \"$@\"'";
  if (std::system("unshare --uts sh -c 'hostname nowhere.invalid' 2>/dev/null") != 0)
    GTEST_SKIP() << "no namespaces here";
  const Ended ended = Run("doctor", renamed);
  EXPECT_EQ(ended.exit_code, 0) << "ranks start, late\n" << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "missing name of this machine: nowhere.invalid has no address: ")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: echo \"127.0.1.1 nowhere.invalid\" >> /etc/hosts")) << ended.out;
}

TEST_F(Program, DoctorNamesAFolderThatIsNotThere) {
  const Ended ended = Run("doctor", "TMPDIR=/nowhere");
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "MISSING temporary folder: ")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "mend it: export TMPDIR=")) << ended.out;
}

}  // namespace
}  // namespace zerocts

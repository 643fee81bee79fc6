# Dashboard settings, read by include(CTest) and by `ctest -D Experimental`. The address to submit to comes from the environment
# (ZEROCTS_SUBMIT_URL=https://host/submit.php?project=zerocts); without one everything but the submit step works.
set(CTEST_PROJECT_NAME "zerocts")
set(CTEST_NIGHTLY_START_TIME "01:00:00 UTC")
set(CTEST_SUBMIT_URL "$ENV{ZEROCTS_SUBMIT_URL}")
set(CTEST_USE_LAUNCHERS OFF)
set(CTEST_TEST_TIMEOUT 1200)

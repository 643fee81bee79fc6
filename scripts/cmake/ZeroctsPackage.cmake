# `cpack` makes a Debian package of what `cmake --install` copies; scripts/package calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zerocts)
set(CPACK_PACKAGE_VENDOR "zerocts")
set(CPACK_PACKAGE_CONTACT "zerocts maintainers <maintainers@zerocts.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Unspecified)  # not those that are installed only where they are named
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-jsonschema, python3-numpy, python3-zmq, python3-venv, openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, ninja-build")  # for authors of plugins
include(CPack)

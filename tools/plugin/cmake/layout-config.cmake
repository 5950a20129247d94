# find_package(layout) for compilers and programs in C and C++.
#
#   layout::layout    the dialect and its passes: layout/Layout.h, layout-c/Layout.h, liblayout_plugin.so, with the headers
#                     that `cargo xtask plugin` leaves in include/ beside it
#   layout::runtime   launches compiled kernels: layout_runtime.h, liblayout_runtime.so
#
#   cargo xtask plugin && cargo build -p layout-runtime
#   cmake -S . -B build -DCMAKE_PREFIX_PATH=/usr/lib/llvm-22 -Dlayout_DIR=REPOSITORY/tools/plugin/cmake
#
# LAYOUT_PLUGIN and LAYOUT_RUNTIME name the libraries where they are elsewhere than in target/release or target/debug.

get_filename_component(_layout_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_layout_built "${_layout_root}/target/release" "${_layout_root}/target/debug")
find_file(LAYOUT_PLUGIN liblayout_plugin.so PATHS ${_layout_built} NO_DEFAULT_PATH)
find_file(LAYOUT_RUNTIME liblayout_runtime.so PATHS ${_layout_built} NO_DEFAULT_PATH)

if(NOT EXISTS "${LAYOUT_PLUGIN}")
  set(layout_FOUND FALSE)
  set(layout_NOT_FOUND_MESSAGE
    "expected LAYOUT_PLUGIN to be liblayout_plugin.so, found '${LAYOUT_PLUGIN}'; `cargo xtask plugin` makes it")
  return()
endif()

# The headers have the classes that this library defines.
get_filename_component(_layout_include "${LAYOUT_PLUGIN}" DIRECTORY)
string(APPEND _layout_include "/include")
if(NOT EXISTS "${_layout_include}/layout/LayoutOps.h.inc")
  set(layout_FOUND FALSE)
  set(layout_NOT_FOUND_MESSAGE
    "expected the headers of ${LAYOUT_PLUGIN} in '${_layout_include}', found none; `cargo xtask plugin` makes them")
  return()
endif()

# Only libMLIR.so, never MLIR's archives: a process must have one copy of MLIR.
include(CMakeFindDependencyMacro)
find_dependency(MLIR CONFIG)

if(NOT TARGET layout::layout)
  add_library(layout::layout SHARED IMPORTED)
  set_target_properties(layout::layout PROPERTIES IMPORTED_LOCATION "${LAYOUT_PLUGIN}" IMPORTED_NO_SONAME ON)
  target_include_directories(layout::layout INTERFACE "${_layout_include}")
  target_include_directories(layout::layout SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(layout::layout INTERFACE MLIR LLVM)
endif()

if(EXISTS "${LAYOUT_RUNTIME}" AND NOT TARGET layout::runtime)
  add_library(layout::runtime SHARED IMPORTED)
  set_target_properties(layout::runtime PROPERTIES IMPORTED_LOCATION "${LAYOUT_RUNTIME}" IMPORTED_NO_SONAME ON)
  target_include_directories(layout::runtime INTERFACE "${_layout_root}/lowering/runtime/include")
endif()

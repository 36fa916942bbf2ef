# The probes' own logic, compiled here without any device's library; and probe-ucx for real, built as its users build it.
set(probes ${CMAKE_SOURCE_DIR}/validate/probes)
add_library(fabricast_probe_logic STATIC
  ${probes}/core/arena.cpp ${probes}/core/control.cpp ${probes}/core/ending.cpp ${probes}/core/exchange.cpp
  ${probes}/core/options.cpp ${probes}/core/pattern.cpp ${probes}/core/statistics.cpp ${probes}/core/sweep.cpp
  ${probes}/core/writer.cpp ${probes}/cuda/plan.cpp ${probes}/nccl/collectives.cpp ${probes}/rdma/rdma_link.cpp)
target_include_directories(fabricast_probe_logic PUBLIC ${probes})
# Sources of a project of their own, which compiles each by itself.
set_target_properties(fabricast_probe_logic PROPERTIES CXX_STANDARD 17 UNITY_BUILD OFF)
find_package(Threads REQUIRED)
target_link_libraries(fabricast_probe_logic PUBLIC Threads::Threads ${CMAKE_DL_LIBS})

add_executable(test_probes
  probes/collectives_test.cpp
  probes/cuda_plan_test.cpp
  probes/exchange_test.cpp
  probes/options_test.cpp
  probes/rdma_link_test.cpp
  probes/series_test.cpp
  probes/statistics_test.cpp
  probes/sweep_test.cpp
  probes/ucx_self_test.cpp
  probes/writer_test.cpp
)
set_target_properties(test_probes PROPERTIES UNITY_BUILD OFF)
target_link_libraries(test_probes PRIVATE fabricast_probe_logic fabricast_validate fabricast_catch)
target_compile_definitions(test_probes PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME probes COMMAND test_probes)

# The whole of probe-cuda and probe-nccl over a CUDA and an NCCL in memory, where their headers are: what they do with
# real ones is not shown by this.
find_package(CUDAToolkit QUIET)
find_path(FABRICAST_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME PATH_SUFFIXES include)
add_executable(test_probe_fakes probes/fakes_test.cpp)
target_link_libraries(test_probe_fakes PRIVATE fabricast_validate fabricast_catch)
if(CUDAToolkit_FOUND AND FABRICAST_NCCL_INCLUDE)
  set(fake_sources ${probes}/core/command.cpp ${probes}/core/machine.cpp ${probes}/cuda/buffers.cpp
      ${probes}/cuda/topology.cpp probes/fake_cuda.cpp)
  add_executable(fake-probe-cuda ${fake_sources} ${probes}/cuda/main.cpp ${probes}/cuda/copies.cpp
                                 ${probes}/cuda/latency.cpp)
  add_executable(fake-probe-nccl ${fake_sources} ${probes}/nccl/main.cpp ${probes}/nccl/library.cpp
                                 ${probes}/nccl/ranks.cpp ${probes}/nccl/wire.cpp
                                 ${probes}/nccl/world.cpp probes/fake_nccl.cpp)
  foreach(fake fake-probe-cuda fake-probe-nccl)
    set_target_properties(${fake} PROPERTIES CXX_STANDARD 17 UNITY_BUILD OFF)
    target_include_directories(${fake} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${FABRICAST_NCCL_INCLUDE})
    target_compile_definitions(${fake} PRIVATE PROBES_NVCC_VERSION="none")
    target_link_libraries(${fake} PRIVATE fabricast_probe_logic)
  endforeach()
  target_compile_definitions(test_probe_fakes PRIVATE FAKE_PROBE_CUDA="$<TARGET_FILE:fake-probe-cuda>"
                                                      FAKE_PROBE_NCCL="$<TARGET_FILE:fake-probe-nccl>")
  add_dependencies(test_probe_fakes fake-probe-cuda fake-probe-nccl)
endif()
add_test(NAME probe_fakes COMMAND test_probe_fakes)

# Builds validate/probes as a project of its own; what it left out is told by the test's output and by ./dev test.
# Not under the sanitizers: UCX and CUDA are not built with them.
if(NOT CMAKE_CXX_FLAGS MATCHES "fsanitize")
  set(probes_build ${CMAKE_BINARY_DIR}/probes)
  add_test(NAME probes_build COMMAND ${CMAKE_CURRENT_LIST_DIR}/build.sh ${probes} ${probes_build})
  set_tests_properties(probes_build PROPERTIES FIXTURES_SETUP probes_built)
  add_executable(test_probe_runs probes/runs_test.cpp)
  target_compile_definitions(test_probe_runs PRIVATE FABRICAST_PROBES="${probes_build}")
  target_link_libraries(test_probe_runs PRIVATE fabricast_validate fabricast_catch)
  add_test(NAME probe_runs COMMAND test_probe_runs)
  set_tests_properties(probe_runs PROPERTIES FIXTURES_REQUIRED probes_built)
endif()

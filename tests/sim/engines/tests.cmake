add_executable(test_engines
  ${CMAKE_CURRENT_LIST_DIR}/checks_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/definition_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/maxmin_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/edge_counts_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/latency_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet_step_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pipelines_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/range_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/replay_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reroute_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ring_form_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/simgrid_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/streams_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/table_test.cpp
)
target_compile_definitions(test_engines PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_engines PRIVATE fabricast_catch fabricast_sim)
add_test(NAME engines COMMAND test_engines)

add_executable(test_memory ${CMAKE_CURRENT_LIST_DIR}/memory_test.cpp)
target_link_libraries(test_memory PRIVATE fabricast_catch fabricast_sim)
add_test(NAME memory COMMAND test_memory)
include(${CMAKE_CURRENT_LIST_DIR}/packet/tests.cmake)

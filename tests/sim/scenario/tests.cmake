add_executable(test_scenario
  ${CMAKE_CURRENT_LIST_DIR}/clouds_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parse_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/schema_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fuzz_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fabric_size_test.cpp
)
target_compile_definitions(test_scenario PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_scenario PRIVATE fabricast_catch fabricast_sim)
add_test(NAME scenario COMMAND test_scenario)

# What of the catalogue and of scenarios is really read.
add_executable(test_reads ${CMAKE_CURRENT_LIST_DIR}/reads_test.cpp)
target_compile_definitions(test_reads PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_reads PRIVATE fabricast_catch fabricast_sim)
add_test(NAME reads COMMAND test_reads)

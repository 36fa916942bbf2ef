add_executable(test_sweep
  ${CMAKE_CURRENT_LIST_DIR}/points_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/result_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sweep_test.cpp
)
target_compile_definitions(test_sweep PRIVATE FABRICAST_PROGRAM="$<TARGET_FILE:fabricast>"
  FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_sweep PRIVATE fabricast_catch fabricast_sim)
add_test(NAME sweep COMMAND test_sweep)

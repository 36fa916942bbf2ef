add_executable(test_sweep
  ${CMAKE_CURRENT_LIST_DIR}/result_test.cpp
)
target_link_libraries(test_sweep PRIVATE fabricast_catch fabricast_sim)
add_test(NAME sweep COMMAND test_sweep)

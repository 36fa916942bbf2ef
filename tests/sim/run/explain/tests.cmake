add_executable(test_explain
  ${CMAKE_CURRENT_LIST_DIR}/blame_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/counterfactual_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/outage_test.cpp
)
target_compile_definitions(test_explain PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_explain PRIVATE fabricast_catch fabricast_sim)
add_test(NAME explain COMMAND test_explain)

add_executable(test_transports
  ${CMAKE_CURRENT_LIST_DIR}/conditions_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/transports_test.cpp
)
target_link_libraries(test_transports PRIVATE fabricast_catch fabricast_sim)
add_test(NAME transports COMMAND test_transports)

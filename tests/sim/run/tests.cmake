add_executable(test_pricer ${CMAKE_CURRENT_LIST_DIR}/pricer_test.cpp)
target_link_libraries(test_pricer PRIVATE fabricast_catch fabricast_sim)
add_test(NAME pricer COMMAND test_pricer)

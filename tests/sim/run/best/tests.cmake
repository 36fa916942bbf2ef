add_executable(test_best ${CMAKE_CURRENT_LIST_DIR}/best_test.cpp)
target_link_libraries(test_best PRIVATE fabricast_catch fabricast_sim)
add_test(NAME best COMMAND test_best)

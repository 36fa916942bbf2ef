add_executable(test_jobs ${CMAKE_CURRENT_LIST_DIR}/job_mix_test.cpp ${CMAKE_CURRENT_LIST_DIR}/placement_test.cpp)
target_link_libraries(test_jobs PRIVATE fabricast_catch fabricast_sim)
add_test(NAME jobs COMMAND test_jobs)

# What the program leaves behind when disk, memory or a signal fail it.
add_library(fabricast_faults SHARED ${CMAKE_CURRENT_LIST_DIR}/failing_calls.cpp)
target_link_libraries(fabricast_faults PRIVATE ${CMAKE_DL_LIBS})
add_executable(test_faults ${CMAKE_CURRENT_LIST_DIR}/faults_test.cpp)
target_compile_definitions(test_faults PRIVATE
  FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  FABRICAST_PROGRAM="$<TARGET_FILE:fabricast>"
  FABRICAST_FAULTS="$<TARGET_FILE:fabricast_faults>"
)
target_link_libraries(test_faults PRIVATE fabricast_catch fabricast_sim)
add_dependencies(test_faults fabricast fabricast_faults)
add_test(NAME faults COMMAND test_faults)

add_executable(test_traces
  ${CMAKE_CURRENT_LIST_DIR}/formats_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/goal_and_msccl_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/messages_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/nccl_log_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/own_recording_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pytorch_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/replay_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/robustness_test.cpp
)
target_compile_definitions(test_traces PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_traces PRIVATE fabricast_catch fabricast_sim)
add_test(NAME traces COMMAND test_traces)

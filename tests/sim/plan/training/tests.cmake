add_executable(test_workloads
  ${CMAKE_CURRENT_LIST_DIR}/attention_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/expert_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/goodput_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/growth_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kinds_of_step_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/memory_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_shape_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/monotone_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/offload_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pipeline_order_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scales_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sharding_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/step_bytes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/step_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trainers_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/uneven_groups_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/volumes_test.cpp
)
target_compile_definitions(test_workloads PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_workloads PRIVATE fabricast_catch fabricast_sim)
add_test(NAME workloads COMMAND test_workloads)

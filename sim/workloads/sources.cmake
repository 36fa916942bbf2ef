target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/compute_costs.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/forecast_step.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/group_calls.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/layer_costs.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/layout.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/lowering.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/memory.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/model_shape.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/pipeline_order.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/sharded_step.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/slow_ranks.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/step_account.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/step_builder.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/volumes.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/words.cpp
)

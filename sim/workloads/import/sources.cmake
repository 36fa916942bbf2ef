target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/account.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/chakra.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/comm_names.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/communicators.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/goal.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/gpu_scaling.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/import.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/kineto.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/lower.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/msccl.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/nccl_log.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/planned_calls.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/pytorch_et.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/recording.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/recording_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/workloads/import/waits.cpp
)

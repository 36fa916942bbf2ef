target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/report/assertion.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/replay.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/packet_traffic.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/result_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/summarize.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/table.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/trace.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/training.cpp
)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/report/result_file.cpp PROPERTIES
  COMPILE_DEFINITIONS FABRICAST_VERSION="${PROJECT_VERSION}")

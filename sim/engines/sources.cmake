target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/engine.cpp
  ${CMAKE_CURRENT_LIST_DIR}/accounting.cpp
  ${CMAKE_CURRENT_LIST_DIR}/devices.cpp
  ${CMAKE_CURRENT_LIST_DIR}/analytic/analytic.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/maxmin.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/coupled.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/edge_counts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/lower.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/shares.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/replay.cpp
  ${CMAKE_CURRENT_LIST_DIR}/simgrid/absent.cpp
)

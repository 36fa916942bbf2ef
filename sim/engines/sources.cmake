target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/flow/maxmin.cpp
)

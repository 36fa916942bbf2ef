target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/scenario.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/words.cpp
)

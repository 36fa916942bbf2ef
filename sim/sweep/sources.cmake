target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/draw.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/figures.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/files.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/fingerprint.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/journal.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/page.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/points.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/prepare.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/result.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/run.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/table.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/sweep/vary.cpp
)

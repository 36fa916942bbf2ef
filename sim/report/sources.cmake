target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/report/assertion.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/replay.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/packet_traffic.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/deadlock_picture.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/packet_picture.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/result_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/summarize.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/table.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/trace.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/training.cpp
)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/report/result_file.cpp PROPERTIES
  COMPILE_DEFINITIONS FABRICAST_VERSION="${PROJECT_VERSION}")
target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/cables.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/drawing.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/page.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/page_json.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/run_page.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/standstill.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/theatre.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/theatre_pieces.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/report/html/training_page.cpp
)

# The page that an HTML report fills, and ECharts where `npm ci` brought it: without, --html says so and exits 4.
include(${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
fabricast_embed(fabricast_sim ${CMAKE_BINARY_DIR}/generated/embedded_page.cpp embedded_page
                ${CMAKE_CURRENT_SOURCE_DIR}/report/html/page/*
                ${CMAKE_CURRENT_SOURCE_DIR}/report/html/node_modules/echarts/dist/echarts.min.js)

target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/calibrated.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/event_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/include.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/packet_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/packet_lane_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/packet_options.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/parse.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/build.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/node_links.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/node_reader.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/scenario.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/schema.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/schema_docs.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/set.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/sizes.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/sweep_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/trace_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/training_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/transfer_keys.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scenario/words.cpp
)

# The catalogue: read at build time by the program's own reader, packed as tables.
set(catalog_reader scenario/catalog_reader.cpp scenario/figure_reader.cpp)
list(TRANSFORM catalog_reader PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
set(catalog_io io/place.cpp io/text_file.cpp io/units.cpp io/yaml.cpp io/yaml_node.cpp)
list(TRANSFORM catalog_io PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
add_executable(pack_catalog ${CMAKE_CURRENT_SOURCE_DIR}/scenario/pack_catalog.cpp ${catalog_reader} ${catalog_io})
target_link_libraries(pack_catalog PRIVATE fabricast_models yaml-cpp)
set_target_properties(pack_catalog PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
file(GLOB catalog_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/catalog/*.yaml)
set(packed_catalog ${CMAKE_BINARY_DIR}/generated/packed_catalog.cpp)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${packed_catalog} COMMAND pack_catalog ${packed_catalog} ${catalog_files}
                   DEPENDS pack_catalog ${catalog_files} COMMENT "Packing the catalogue" VERBATIM)
target_sources(fabricast_sim PRIVATE ${catalog_reader} ${CMAKE_CURRENT_SOURCE_DIR}/scenario/embedded_catalog.cpp
                                     ${CMAKE_CURRENT_SOURCE_DIR}/scenario/catalog_folder.cpp
                                     ${CMAKE_CURRENT_SOURCE_DIR}/scenario/catalog_schema.cpp
                                     ${CMAKE_CURRENT_SOURCE_DIR}/scenario/catalog_text.cpp
                                     ${packed_catalog})

# The library of nodes, as text.
include(${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
fabricast_embed(fabricast_sim ${CMAKE_BINARY_DIR}/generated/embedded_nodes.cpp embedded_nodes
                ${CMAKE_SOURCE_DIR}/topologies/nodes/*.yaml)

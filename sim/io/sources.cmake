find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED COMPONENTS iostreams)
find_package(pugixml)
if(NOT pugixml_FOUND)
  message(FATAL_ERROR "pugixml is missing: apt-get install libpugixml-dev (./dev build installs what is missing)")
endif()
target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/io/gzip.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/tar.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/json.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/json_stream.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/place.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/protobuf.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/text_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/units.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/xml.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/yaml.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/yaml_node.cpp
)
# Sweeps write SQLite where it is there.
find_package(SQLite3 QUIET)
if(FABRICAST_SQLITE AND SQLite3_FOUND)
  target_sources(fabricast_sim PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/io/sqlite.cpp)
  target_link_libraries(fabricast_sim PRIVATE SQLite::SQLite3)
else()
  target_sources(fabricast_sim PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/io/no_sqlite.cpp)
endif()
# yaml-cpp is behind sim/io/yaml.cpp; Json is a name for nlohmann's value, so its header travels with ours.
target_link_libraries(fabricast_sim PUBLIC nlohmann_json::nlohmann_json PRIVATE yaml-cpp Boost::iostreams pugixml::pugixml)

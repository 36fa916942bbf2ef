find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED COMPONENTS iostreams)
find_package(pugixml)
if(NOT pugixml_FOUND)
  message(FATAL_ERROR "pugixml is missing: apt-get install libpugixml-dev (./dev build installs what is missing)")
endif()
# Debian 12 has no re2Config.cmake; later releases, with Abseil below, do.
find_package(re2 CONFIG QUIET)
if(NOT TARGET re2::re2)
  find_path(RE2_INCLUDE_DIR re2/re2.h)
  find_library(RE2_LIBRARY re2)
  if(NOT RE2_INCLUDE_DIR OR NOT RE2_LIBRARY)
    message(FATAL_ERROR "RE2 is missing: apt-get install libre2-dev (./dev build installs what is missing)")
  endif()
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES
    IMPORTED_LOCATION ${RE2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE_DIR})
endif()
target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/io/gzip.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/tar.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/json.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/json_stream.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/pattern.cpp
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
target_link_libraries(fabricast_sim PUBLIC nlohmann_json::nlohmann_json PRIVATE yaml-cpp Boost::iostreams pugixml::pugixml
  re2::re2)

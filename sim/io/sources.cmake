find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/io/json.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/place.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/text_file.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/units.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/io/yaml.cpp
)
# yaml-cpp is behind sim/io/yaml.cpp; Json is a name for nlohmann's value, so its header travels with ours.
target_link_libraries(fabricast_sim PUBLIC nlohmann_json::nlohmann_json PRIVATE yaml-cpp)

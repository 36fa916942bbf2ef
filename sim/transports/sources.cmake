# Every file of kinds/ is a transport: nvlink_p2p.cpp defines transports::nvlink_p2p, and the catalogue's part nvlink-p2p
# holds its figures.
file(GLOB transport_kinds CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/transports/kinds/*.cpp)
set(FABRICAST_TRANSPORTS "")
foreach(kind ${transport_kinds})
  get_filename_component(name ${kind} NAME_WE)
  string(APPEND FABRICAST_TRANSPORTS "FABRICAST_TRANSPORT(${name})\n")
endforeach()
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/transports/kinds.hpp.in ${CMAKE_BINARY_DIR}/generated/transport_kinds.inc @ONLY)
target_sources(fabricast_sim PRIVATE
  ${transport_kinds}
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/data_path.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/describe.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/exchange.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/host_fabric.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/lower.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/messaging.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/network.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/places.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/storage.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/transports/transports.cpp
)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/transports/transports.cpp PROPERTIES
  COMPILE_OPTIONS "-I${CMAKE_BINARY_DIR}/generated")

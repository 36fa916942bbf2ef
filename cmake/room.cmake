# A room is a folder: its sources are one library, and what it includes stands in rooms below it (tests/structure reads
# every include and holds it against this).
#   fabricast_room(<target> [COLD] [USES <target>...] [WITHOUT <source>...])
# `COLD`: its code runs once a scenario, a row or a page, not for every event, so a build does not wait for what the
# optimizer would make of it. Sources of `WITHOUT` are those that only some builds have; the room's own list adds them.
function(fabricast_room target)
  cmake_parse_arguments(ROOM "COLD" "" "USES;WITHOUT" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(source ${ROOM_WITHOUT})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC fabricast_flags ${ROOM_USES} PRIVATE fmt::fmt)
  fabricast_shareable(${target})
  if(ROOM_COLD)
    fabricast_cold(${target})
  endif()
endfunction()

# -O1 takes GCC three quarters of the time of -O2; a precompiled header saved nothing that could be measured.
function(fabricast_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# A closed set whose members are files: MACRO(name) for each name, in this order, in generated/<file>. To add one is a
# source in the folder and a word here; where no name is given, every source of the folder is one, by its name.
#   fabricast_kinds(<target> <folder> <file> <MACRO> [NAME...])
function(fabricast_kinds target folder file macro)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  set(names ${ARGN})
  if(NOT names)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      list(APPEND names ${name})
    endforeach()
  endif()
  set(lines "// Made by CMake: the kinds of ${folder}/.\n")
  foreach(name ${names})
    string(APPEND lines "${macro}(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${file} CONTENT "${lines}")
endfunction()

# Rooms end up in the program and in the Python module, a shared object; calls inside a library stay direct all the same.
function(fabricast_shareable target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
endfunction()

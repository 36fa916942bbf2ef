# Turns YAML files into one C++ file with a table of them, so that the program needs no path at run time.
#   fabricast_embed(<target> <output.cpp> <function> <glob>...)
# defines `std::span<const EmbeddedFile> <function>()` (base/embedded_file.hpp) in the namespace of the room, and
# rebuilds it whenever a
# file changes.
function(fabricast_embed target output function)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  list(SORT files)
  string(REPLACE fabricast_ "inline " room ${target})
  string(REPLACE fabricast cli room ${room})  # the program itself
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} -DROOM=${room} "-DFILES=${files}"
            -DROOT=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding for ${function}()"
    VERBATIM)
  # The standard promises no literals above 65,536 characters; GCC and Clang take them all.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()

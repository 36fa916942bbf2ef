# What `cmake --install` puts where. The program holds its catalogue, pages and templates itself and needs no path.
# The version stands in project() and nowhere else.
include(CMakePackageConfigHelpers)

# Manual pages and completions, made by the program of its own tables.
set(shell_files ${CMAKE_BINARY_DIR}/shell_files)
add_custom_command(OUTPUT ${shell_files}/made
                   COMMAND ${CMAKE_SOURCE_DIR}/packaging/shell_files.sh $<TARGET_FILE:fabricast> ${shell_files}
                   DEPENDS fabricast ${CMAKE_SOURCE_DIR}/packaging/shell_files.sh
                   COMMENT "Manual pages and completions" VERBATIM)
add_custom_target(fabricast_shell_files ALL DEPENDS ${shell_files}/made)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fabricast)
install(TARGETS fabricast_capi EXPORT fabricast)
install(EXPORT fabricast FILE fabricast-config.cmake NAMESPACE fabricast:: DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/fabricast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/fabricast-config-version.cmake DESTINATION ${package})
install(DIRECTORY ${shell_files}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
# Pages with what they point to: the lessons' scenarios, schemas, the notebook.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING
        PATTERN "*.md" PATTERN "*.yaml" PATTERN "*.json" PATTERN "*.ipynb" PATTERN "research" EXCLUDE PATTERN "effects" EXCLUDE)
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES docs/examples/price.c docs/examples/price.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(PROGRAMS docs/examples/sweep.sbatch DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# For `module use PREFIX/share/modulefiles && module load fabricast`.
configure_file(packaging/modulefile.in ${CMAKE_BINARY_DIR}/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/fabricast RENAME ${PROJECT_VERSION})

set(tools fabricast-accuracy fabricast-training-accuracy fabricast-path-accuracy fabricast-seed-claims)
foreach(tool fabricast-docs fabricast-fit)
  if(TARGET ${tool})
    list(APPEND tools ${tool})
  endif()
endforeach()
list(TRANSFORM tools REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE tool_files)
add_test(NAME tools_help COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/tools_help.sh ${tool_files})
if(TARGET fabricast)
add_test(NAME doc_commands COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_doc_commands.sh ${CMAKE_SOURCE_DIR}
                                   ${CMAKE_BINARY_DIR})
# docs/effects.md has the program's times and pictures.
add_test(NAME effects COMMAND ${CMAKE_SOURCE_DIR}/docs/effects/tables.py $<TARGET_FILE:fabricast> --check)
# docs/labs/answers.md is what the lessons' commands print (`./dev docs` writes it).
add_test(NAME labs_answers COMMAND bash -c
         "diff -u ${CMAKE_SOURCE_DIR}/docs/labs/answers.md <(${CMAKE_SOURCE_DIR}/docs/labs/answers.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:fabricast>)")
endif()
add_test(NAME lab_figures COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/lab_figures.sh ${CMAKE_SOURCE_DIR})

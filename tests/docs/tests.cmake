if(TARGET fabricast)
add_test(NAME doc_commands COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_doc_commands.sh ${CMAKE_SOURCE_DIR}
                                   $<TARGET_FILE:fabricast>)
# docs/labs/answers.md is what the lessons' commands print (`./dev docs` writes it).
add_test(NAME labs_answers COMMAND bash -c
         "diff -u ${CMAKE_SOURCE_DIR}/docs/labs/answers.md <(${CMAKE_SOURCE_DIR}/docs/labs/answers.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:fabricast>)")
endif()

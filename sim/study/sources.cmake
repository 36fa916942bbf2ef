target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/draws.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parts_list.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study_page.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study_text.cpp
)

target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/blame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/critical_path.cpp
  ${CMAKE_CURRENT_LIST_DIR}/explained_run.cpp
  ${CMAKE_CURRENT_LIST_DIR}/explanation_text.cpp
  ${CMAKE_CURRENT_LIST_DIR}/operation_blame.cpp
)

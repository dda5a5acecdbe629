# oneDNN for convolutions and large float products: headers from the wheel
# onednn-devel-cpu-gomp when building, one copy of the library in our own wheel's lib/.
option(FLAMBEAU_CPU_ONEDNN "Use oneDNN where its wheel is installed" ON)
if(FLAMBEAU_CPU_ONEDNN)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/find_onednn.py"
    OUTPUT_VARIABLE onednn_paths
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(onednn_paths)
    list(GET onednn_paths 0 onednn_header)
    list(GET onednn_paths 1 onednn_library)
    list(SUBLIST onednn_paths 2 -1 onednn_licences)
    get_filename_component(onednn_include "${onednn_header}" DIRECTORY)
    target_include_directories(_C PRIVATE "${onednn_include}/../..")
    target_compile_definitions(_C PRIVATE FLAMBEAU_CPU_WITH_ONEDNN)
    target_link_libraries(_C PRIVATE ${CMAKE_DL_LIBS})
    install(FILES "${onednn_library}" DESTINATION lib RENAME libdnnl.so.3)
    install(FILES ${onednn_licences} DESTINATION lib/onednn)
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/libdnnl.so.3\")")
  else()
    message(STATUS "flambeau-cpu: no oneDNN; own products and convolutions only")
  endif()
endif()

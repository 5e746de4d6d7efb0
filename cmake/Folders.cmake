# A folder of the architecture is a static library named blkpress_<folder>, made of every .cpp in it, so that a new file
# needs no edit here. What a folder may include is what it links: the arrows of docs/architecture.md.

add_library(blkpress_options INTERFACE)
target_compile_features(blkpress_options INTERFACE cxx_std_20)
# No contraction of a*b+c: event times must not depend on the compiler.
target_compile_options(blkpress_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wnon-virtual-dtor -Woverloaded-virtual -Werror -ffp-contract=off)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Assertions name the file within the source tree, wherever that was. A compiler cache has its own way of doing so (a
  # base directory), and this option would keep two source trees from sharing one.
  target_compile_options(blkpress_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
target_link_libraries(blkpress_options INTERFACE Threads::Threads)
if(BLKPRESS_SANITIZE)
  target_compile_options(blkpress_options INTERFACE -fsanitize=${BLKPRESS_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(blkpress_options INTERFACE -fsanitize=${BLKPRESS_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 at -O2/-O3 warns about code inside its own standard library.
  target_compile_options(blkpress_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  if(BLKPRESS_SANITIZE)
    # The same about <regex>, once a sanitizer is in between.
    target_compile_options(blkpress_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# blkpress_folder(codec LINKS blkpress_base PRIVATE_LINKS ZLIB::ZLIB)
function(blkpress_folder folder)
  cmake_parse_arguments(arg "" "" "LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(target blkpress_${folder})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC blkpress_options ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE blkpress_options ${arg_LINKS})
    target_include_directories(${target} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  endif()
endfunction()

# SentencePiece, as target SentencePiece::SentencePiece: the pinned source archive, built static with
# hidden symbols (LibTorch carries a protobuf of its own), else an installed library.
# The archive comes through pip, from whatever index pip is set up for, and is checked by its
# SHA-256. It is kept in DRAGOMAN_CACHE, so that it is fetched and unpacked once.
set(DRAGOMAN_CACHE "$ENV{DRAGOMAN_CACHE}" CACHE PATH
  "Folder for fetched sources, shared by build folders; empty = inside the build folder")

# Sets `result` to a command that runs pip, or to nothing.
function(dragoman_find_pip cache result)
  set(${result} "" PARENT_SCOPE)
  find_program(DRAGOMAN_PYTHON NAMES python3 python)
  mark_as_advanced(DRAGOMAN_PYTHON)
  if(NOT DRAGOMAN_PYTHON)
    return()
  endif()
  set(environment ${cache}/pip-environment)
  foreach(python ${DRAGOMAN_PYTHON} ${environment}/bin/python)
    if(python STREQUAL "${environment}/bin/python" AND NOT EXISTS ${environment}/bin/pip)
      execute_process(COMMAND ${DRAGOMAN_PYTHON} -m venv --clear ${environment} OUTPUT_QUIET ERROR_QUIET)
    endif()
    execute_process(COMMAND ${python} -m pip --version
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} ${python} -m pip PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Puts the checked archive at `archive`. Sets `fault` to what went wrong, or to nothing.
function(dragoman_fetch_sentencepiece cache archive fault)
  set(${fault} "" PARENT_SCOPE)
  if(EXISTS ${archive})
    file(SHA256 ${archive} found)
    if(found STREQUAL DRAGOMAN_SENTENCEPIECE_SHA256)
      return()
    endif()
    file(REMOVE ${archive})
  endif()
  dragoman_find_pip(${cache} pip)
  if(NOT pip)
    set(${fault} "python3 with pip is missing; install python3-pip (or python3-venv)" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "SentencePiece ${DRAGOMAN_SENTENCEPIECE_VERSION}: fetching the source archive (5 MB)")
  string(RANDOM LENGTH 8 word)
  set(folder ${cache}/download-${word})
  execute_process(
    COMMAND ${pip} download --quiet --disable-pip-version-check --no-deps
      --no-binary sentencepiece --dest ${folder} sentencepiece==${DRAGOMAN_SENTENCEPIECE_VERSION}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 300)
  get_filename_component(name ${archive} NAME)
  if(NOT status EQUAL 0 OR NOT EXISTS ${folder}/${name})
    string(STRIP "${said}" said)
    string(REGEX REPLACE "^.*\n" "" said "${said}")
    set(${fault} "pip could not fetch it (${said}); is there a network?" PARENT_SCOPE)
  else()
    file(SHA256 ${folder}/${name} found)
    if(found STREQUAL DRAGOMAN_SENTENCEPIECE_SHA256)
      file(RENAME ${folder}/${name} ${archive})
    else()
      set(${fault} "the fetched archive has SHA-256 ${found}, expected ${DRAGOMAN_SENTENCEPIECE_SHA256}"
        PARENT_SCOPE)
    endif()
  endif()
  file(REMOVE_RECURSE ${folder})
endfunction()

# Unpacks what is built of the archive to `source`. The table of scripts is one function of 1,900 calls,
# filled once by the trainer: optimising it would take a third of the time of the whole library.
function(dragoman_unpack_sentencepiece archive source)
  if(EXISTS ${source})
    return()
  endif()
  string(RANDOM LENGTH 8 word)
  set(folder ${source}.tmp-${word})
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder}
    PATTERNS */sentencepiece/src/* */sentencepiece/third_party/* */sentencepiece/LICENSE)
  set(root ${folder}/sentencepiece-${DRAGOMAN_SENTENCEPIECE_VERSION}/sentencepiece)
  file(READ ${root}/src/unicode_script_map.h table)
  string(REPLACE "void InitTable(" "[[gnu::optimize(0)]] void InitTable(" table "${table}")
  file(WRITE ${root}/src/unicode_script_map.h "${table}")
  # What its own configuration writes.
  file(WRITE ${root}/config.h "#define VERSION \"${DRAGOMAN_SENTENCEPIECE_VERSION}\"\n"
    "#define PACKAGE \"sentencepiece\"\n#define PACKAGE_STRING PACKAGE\n#define INSTALL_DATADIR \"\"\n")
  file(RENAME ${root} ${source})
  file(REMOVE_RECURSE ${folder})
endfunction()

# dragoman_sentencepiece_group(NAME FOLDER FILES...): FILES are compiled as one.
function(dragoman_sentencepiece_group name folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  target_sources(dragoman_sentencepiece PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
endfunction()

# Adds one static library of what the program links, compiled as four files: its own build makes 255.
# Release takes -O2.
function(dragoman_add_sentencepiece source)
  include(${PROJECT_SOURCE_DIR}/third_party/sentencepiece_files.cmake)
  add_library(dragoman_sentencepiece STATIC EXCLUDE_FROM_ALL)
  dragoman_sentencepiece_group(sentencepiece ${source}/src ${sentencepiece_files})
  dragoman_sentencepiece_group(protobuf ${source}/src/builtin_pb ${sentencepiece_message_files})
  dragoman_sentencepiece_group(protobuf ${source}/third_party/protobuf-lite ${sentencepiece_protobuf_files})
  dragoman_sentencepiece_group(abseil ${source}/third_party/absl ${sentencepiece_abseil_files})
  dragoman_sentencepiece_group(abseil_separate ${source}/third_party/absl
    ${sentencepiece_abseil_separate_files})
  set_target_properties(dragoman_sentencepiece PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    # Most files of protobuf define its macros and leave them; the next one insists on a clean table.
    UNITY_BUILD_CODE_AFTER_INCLUDE
      "#ifdef PROTOBUF_NAMESPACE\n#include <google/protobuf/port_undef.inc>\n#endif"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON EXPORT_COMPILE_COMMANDS OFF)
  target_compile_features(dragoman_sentencepiece PUBLIC cxx_std_20)  # Abseil's interface depends on it
  target_compile_definitions(dragoman_sentencepiece PRIVATE HAVE_PTHREAD=1)
  target_compile_options(dragoman_sentencepiece PRIVATE -w $<$<CONFIG:Release>:-O2>)
  target_include_directories(dragoman_sentencepiece PRIVATE ${source}/src/builtin_pb
    ${source}/third_party/protobuf-lite)
  target_include_directories(dragoman_sentencepiece SYSTEM PUBLIC ${source}/src ${source}
    ${source}/third_party)
  target_link_libraries(dragoman_sentencepiece PUBLIC Threads::Threads)
  add_library(SentencePiece::SentencePiece ALIAS dragoman_sentencepiece)
endfunction()

function(dragoman_use_installed_sentencepiece fault)
  find_package(SentencePiece QUIET)
  if(NOT SentencePiece_FOUND)
    message(FATAL_ERROR "SentencePiece ${DRAGOMAN_SENTENCEPIECE_VERSION}: ${fault}. Mend that and "
      "configure again, or install the package libsentencepiece-dev, which is then used instead")
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(installed_sentencepiece QUIET sentencepiece)
  endif()
  if(installed_sentencepiece_VERSION)
    set(sentencepiece_version ${installed_sentencepiece_VERSION} PARENT_SCOPE)
  else()
    set(sentencepiece_version "(installed, version unknown)" PARENT_SCOPE)
  endif()
  message(STATUS "SentencePiece: ${SentencePiece_LIBRARY} (${fault}). Damaged models are then refused "
    "by Dragoman's own checks only, and vocabularies learned with it may differ from those of "
    "${DRAGOMAN_SENTENCEPIECE_VERSION}")
endfunction()

set(sentencepiece_cache "${DRAGOMAN_CACHE}")
if(NOT sentencepiece_cache)
  set(sentencepiece_cache ${PROJECT_BINARY_DIR}/third_party/cache)
endif()
file(MAKE_DIRECTORY ${sentencepiece_cache})
set(sentencepiece_archive ${sentencepiece_cache}/sentencepiece-${DRAGOMAN_SENTENCEPIECE_VERSION}.tar.gz)
set(sentencepiece_source ${sentencepiece_cache}/sentencepiece-${DRAGOMAN_SENTENCEPIECE_VERSION}-files)
set(sentencepiece_fault "")
if(DRAGOMAN_FETCH STREQUAL "OFF")
  set(sentencepiece_fault "DRAGOMAN_FETCH is OFF")
elseif(NOT EXISTS ${sentencepiece_source})
  dragoman_fetch_sentencepiece(${sentencepiece_cache} ${sentencepiece_archive} sentencepiece_fault)
endif()
set(sentencepiece_version ${DRAGOMAN_SENTENCEPIECE_VERSION})  # of what is linked
if(sentencepiece_fault STREQUAL "")
  dragoman_unpack_sentencepiece(${sentencepiece_archive} ${sentencepiece_source})
  dragoman_add_sentencepiece(${sentencepiece_source})
elseif(DRAGOMAN_FETCH STREQUAL "ON")
  message(FATAL_ERROR "SentencePiece ${DRAGOMAN_SENTENCEPIECE_VERSION}: ${sentencepiece_fault}")
else()
  dragoman_use_installed_sentencepiece("${sentencepiece_fault}")
endif()

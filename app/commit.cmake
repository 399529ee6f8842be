# cmake -DFOLDER=... -DHEADER=... -P commit.cmake
# Writes HEADER with the commit that FOLDER is checked out at, and "-dirty" if tracked files differ from it; no
# commit outside a checkout. An unchanged header is left alone, so that nothing is built again.
set(commit "")
find_program(git git)
if(git AND EXISTS ${FOLDER}/.git)
  execute_process(COMMAND ${git} -C ${FOLDER} describe --always --dirty --exclude=* --abbrev=9
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n\n#define DRAGOMAN_COMMIT \"${commit}\"\n")

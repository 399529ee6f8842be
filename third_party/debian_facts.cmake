# Corrects two facts of the Debian packages that cpack has made: Installed-Size, for which it counts a library
# again for each symbolic link, and shlibs, where it names libraries that no other package can use. Only the
# control part is written again, since packing the data takes minutes.
find_program(dpkg_deb dpkg-deb)
find_program(archiver ar)
find_program(tar tar)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "\\.deb$")
    continue()
  endif()
  if(NOT dpkg_deb OR NOT archiver OR NOT tar)
    message(WARNING "${package}: its Installed-Size is too large: dpkg-deb, ar or tar is missing")
    continue()
  endif()
  set(control ${package}.control)
  execute_process(COMMAND ${dpkg_deb} --control ${package} ${control} COMMAND_ERROR_IS_FATAL ANY)
  # KiB, as dpkg-gencontrol counts: each file rounded up, and 1 for anything else.
  execute_process(COMMAND ${dpkg_deb} --contents ${package}
    COMMAND awk "/^-/ { size += int(($3 + 1023) / 1024) } !/^-/ { size += 1 } END { printf \"%d\", size }"
    OUTPUT_VARIABLE size COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${control}/control text)
  string(REGEX REPLACE "Installed-Size: [0-9]+" "Installed-Size: ${size}" text "${text}")
  file(WRITE ${control}/control "${text}")
  if(EXISTS ${control}/shlibs)
    file(STRINGS ${control}/shlibs libraries REGEX "^libdragoman ")
    list(JOIN libraries "\n" libraries)
    file(WRITE ${control}/shlibs "${libraries}\n")
  endif()
  execute_process(COMMAND ${archiver} t ${package} COMMAND grep ^control.tar OUTPUT_VARIABLE part
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  cmake_path(GET package PARENT_PATH folder)
  execute_process(COMMAND ${tar} --owner=0 --group=0 --numeric-owner --auto-compress -cf ${folder}/${part} .
    WORKING_DIRECTORY ${control} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${archiver} rD ${package} ${part} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${control} ${folder}/${part})
endforeach()

# Toolchain file: arm64 programs on another computer, with Debian's cross compiler and arm64 packages; tests run
# in qemu-user. README.md has the commands, CMakePresets.json the preset.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# LibTorch reads there what the processor is, and crashes when it finds another architecture.
set(arm64_root ${CMAKE_BINARY_DIR}/arm64_root)
file(WRITE ${arm64_root}/proc/cpuinfo
  "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
  "CPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${arm64_root})
# Headers of packages of every processor are in the same folders; libraries must be of this one.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

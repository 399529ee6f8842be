# The versions this project is built and tested with.
set(DRAGOMAN_TORCH_MINIMUM 2.11)
set(DRAGOMAN_TORCH_VERSION 2.13.0)
set(DRAGOMAN_SENTENCEPIECE_VERSION 0.2.2)
set(DRAGOMAN_SENTENCEPIECE_SHA256 3d2b5e824b5622038dc7b490897efe05ebbbb9e7350fc142f3ecc8789ef9bdf6)
# LibTorch's own archive for computers without a GPU. Without a checksum it is not fetched:
# set it here, or in the environment variable DRAGOMAN_LIBTORCH_SHA256, from a source you trust.
set(DRAGOMAN_LIBTORCH_CPU_URL https://download.pytorch.org/libtorch/cpu/libtorch-shared-with-deps-2.13.0%2Bcpu.zip)
set(DRAGOMAN_LIBTORCH_CPU_SHA256 "")

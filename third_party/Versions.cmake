# The versions this project is built and tested with.
set(DRAGOMAN_TORCH_MINIMUM 2.11)
set(DRAGOMAN_TORCH_VERSION 2.13.0)
set(DRAGOMAN_SENTENCEPIECE_VERSION 0.2.3)

# The two commands: make demo, make test. Everything is built in build/ (Release).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# A file of the torch side takes about 1 GB to compile.
JOBS ?= $(shell awk -v cores="$$(nproc)" '/MemAvailable/ { n = int($$2 / 1200000); \
  print n < 1 ? 1 : n < cores ? n : cores }' /proc/meminfo)
TEST_JOBS ?= 2

# Lets ccache serve files that use the precompiled header.
export CCACHE_SLOPPINESS := pch_defines,time_macros
# A CMake that bootstrap.sh had to fetch; a missing folder does no harm.
export PATH := $(PATH):$(CURDIR)/.venv/bin

.PHONY: program demo test bench results help

help:
	@echo 'make demo     build, train on the embedded corpus, translate its test set, score'
	@echo 'make test     build and run all tests'
	@echo 'make bench    measure the speed of training and translation'
	@echo 'make results  train the models of the results table (hours)'

program:
	@third_party/bootstrap.sh
	@cmake --build build --parallel $(JOBS) --target dragoman

demo: program
	@data/demo/demo.sh

test:
	@third_party/bootstrap.sh
	@cmake --build build --parallel $(JOBS)
	@ctest --test-dir build --output-on-failure -j $(TEST_JOBS)

bench: program
	@build/dragoman bench train --preset tiny
	@build/dragoman bench translate --preset tiny

# Multi30k is not part of this repository: DRAGOMAN_SHARED names the folder that holds data/multi30k.
DRAGOMAN_SHARED ?= ../shared
multi30k = $(DRAGOMAN_SHARED)/data/multi30k
results: program
	@build/dragoman train -c configs/multi30k_en_de.json -o runs/multi30k_en_de \
	  --train-source $(multi30k)/train.en.gz --train-target $(multi30k)/train.de.gz \
	  --valid-source $(multi30k)/val.en.gz --valid-target $(multi30k)/val.de.gz
	@test -d runs/multi30k_en_de-averaged || \
	  build/dragoman average -m runs/multi30k_en_de --last 5 -o runs/multi30k_en_de-averaged
	@build/dragoman evaluate -m runs/multi30k_en_de-averaged \
	  --source $(multi30k)/test_2016_flickr.en.gz --reference $(multi30k)/test_2016_flickr.de.gz

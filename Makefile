# The commands that a user needs; `make` alone lists them. Everything is built in build/ (Release).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# A file of the torch side takes about 1 GB to compile.
JOBS ?= $(shell awk -v cores="$$(nproc)" '/MemAvailable/ { n = int($$2 / 1200000); \
  print n < 1 ? 1 : n < cores ? n : cores }' /proc/meminfo)
PREFIX ?= /usr/local
# Some tests wait rather than compute.
TEST_JOBS ?= 3

# Lets ccache serve files that use the precompiled header.
export CCACHE_SLOPPINESS := pch_defines,time_macros
# The CMake that bootstrap.sh fetches where the system's is too old; a missing folder does no harm.
export PATH := $(CURDIR)/.venv/cmake:$(PATH)

.PHONY: help deps program library install uninstall package demo corpora test format check-format bench layers results experiments

help:
	@echo 'make demo         set up, build, train on the embedded corpus, translate its test set, score'
	@echo 'make program      set up and build build/dragoman alone'
	@echo 'make install      install the program and the C++ library; PREFIX=FOLDER (here: $(PREFIX))'
	@echo 'make uninstall    remove what make install put there; PREFIX as it was then'
	@echo 'make package      build a .tar.gz and two .deb in build/packages'
	@echo 'make deps         set up: system packages, LibTorch and sources; builds nothing'
	@echo 'make corpora      fetch the public corpora of the results to data/corpora (25 MB)'
	@echo 'make test         build and run all tests (half an hour or more on two cores)'
	@echo 'make format       format the sources; check-format only checks them'
	@echo 'make bench        compare speed with other programs; RUN=FOLDER: translate with that run'
	@echo 'make layers       measure what layers cost by length, as kept in configs/experiments/report'
	@echo 'make results      train the models of the results table (hours; SEEDS="1 2 3": with each of these seeds)'
	@echo 'make experiments  run the experiments of configs/experiments (hours; NAMES=depth: one of them;'
	@echo '                  KEPT=results.json: without repeating the training runs of that report)'
	@echo
	@echo 'DRAGOMAN_INSTALL=no make ...   installs no system packages; prints the command instead'
	@echo 'CMAKE_PREFIX_PATH=FOLDER make ...   uses the LibTorch in FOLDER'
	@echo 'make corpora FROM=FOLDER   takes the sources from FOLDER instead of the network'
	@echo 'make results DATA=FOLDER   reads the corpora in FOLDER; experiments and bench too'
	@echo 'JOBS=N make ...   compiles N files at a time (here: $(JOBS))'

deps:
	@third_party/bootstrap.sh

program:
	@third_party/bootstrap.sh
	@cmake --build build --parallel $(JOBS) --target dragoman

library: program
	@cmake --build build --parallel $(JOBS) --target dragoman_shared

# The tree holds the list of its files, so that it can be removed without the build, and where it was moved.
# PREFIX may be relative and contain blanks, which make's own functions would take apart.
prefix = prefix=$$(realpath -ms -- '$(PREFIX)'); tree='$(DESTDIR)'"$$prefix"
installed = share/dragoman/installed.txt
install: library
	@$(prefix); cmake --install build --prefix "$$prefix" --strip; mkdir -p "$$tree/$(dir $(installed))"; \
	  { while IFS= read -r file || [ -n "$$file" ]; do echo "$${file#"$${prefix%/}"/}"; done < build/install_manifest.txt; \
	    echo $(installed); } > "$$tree/$(installed)"

uninstall:
	@$(prefix); test -e "$$tree/$(installed)" \
	  || { echo "make uninstall: $$tree/$(installed) is missing; give the PREFIX of make install" >&2; exit 1; }; \
	cd "$$tree"; files=$$(cat $(installed)); \
	if grep -qE '^/|(^|/)\.\.(/|$$)' <<< "$$files"; then \
	  echo "make uninstall: $$tree/$(installed) names files elsewhere; remove the tree by hand" >&2; exit 1; fi; \
	xargs -d '\n' rm -f <<< "$$files"; \
	{ xargs -d '\n' dirname <<< "$$files" | sort -ru \
	  | xargs -d '\n' rmdir --parents --ignore-fail-on-non-empty 2> /dev/null || true; }; \
	echo "removed what was installed in $$tree"

package: library
	@cd build && cpack -B packages

demo: program
	@data/demo/demo.sh

test:
	@third_party/bootstrap.sh
	@cmake --build build --parallel $(JOBS)
	@status=0; ctest --test-dir build --no-tests=error --output-on-failure -j $(TEST_JOBS) || status=$$?; \
	  grep -h '^skipped: ' build/Testing/Temporary/LastTest.log | sort | uniq -c || true; exit $$status

format:
	@third_party/format.sh
check-format:
	@third_party/format.sh --check

# The corpora are public, but not part of this repository: they are fetched before they are read, and those
# that are there are checked. Another folder, given as make results DATA=FOLDER, is read as it is.
DATA ?= data/corpora
multi30k = $(DATA)/multi30k
tatoeba = $(DATA)/tatoeba-en-de
fetch = data/fetch.py $(if $(FROM),--from '$(FROM)')
# $(call corpus,NAMES)
corpus = $(if $(filter file,$(origin DATA)),$(fetch) $(1),:)

corpora:
	@$(fetch)

# What it can measure without the corpora it does.
bench: program
	@$(call corpus,multi30k) || true
	@DATA='$(DATA)' tests/speed/side_by_side.sh build/dragoman $(if $(RUN),'$(RUN)')

# One run measures all the tables: figures of several days or machines would contradict each other.
report := configs/experiments/report
comma := ,
kinds := full,tiled,fused_torch,local,dilated,global_local,longformer,linear
bench_layer = build/dragoman bench $(2) --json --plot $(report)/$(1).svg > $(report)/$(1).json
layers: program
	@$(call bench_layer,complexity,complexity)
	@$(call bench_layer,attention,attention --kinds $(kinds) --min-length 16)
	@$(call bench_layer,crossover,attention --kinds full$(comma)linear --heads 1 --d-k 256 --min-length 64 --max-length 2048)
	@for d_k in 16 64; do build/dragoman bench attention --kinds full,tiled,local,linear --heads 1 --d-k $$d_k \
	  --min-length 100000 --max-length 100000 --forward-only --seconds 0.001 --json \
	  > $(report)/attention_100000_$$d_k.json || exit; done
	@$(call bench_layer,parallel,parallel)
	@$(call bench_layer,rnn,rnn)
	@$(call bench_layer,path,path)
	@$(call bench_layer,recompute,recompute)

# $(call result,CONFIG,TRAIN,VALID,TEST,CHECKPOINTS TO AVERAGE,OPTIONS OF THE SCORE)
SEEDS ?= 1
result = SEEDS='$(SEEDS)' configs/results/result.sh $(1) en de '$(2)' '$(3)' '$(4)' $(5) --metrics bleu,chrf $(6)

.PHONY: results-multi30k results-multi30k-tok results-tatoeba results-student
results: results-multi30k results-multi30k-tok results-tatoeba results-student
results-multi30k: program
	@$(call corpus,multi30k)
	@$(call result,multi30k_en_de,$(multi30k)/train,$(multi30k)/val,$(multi30k)/test_2016_flickr,10)
results-multi30k-tok: program
	@$(call corpus,multi30k)
	@$(call result,multi30k_en_de_tok,$(multi30k)/tok/train.lc.norm.tok,$(multi30k)/tok/val.lc.norm.tok,$(multi30k)/tok/test_2016_flickr.lc.norm.tok,10,--tokenize none)
results-tatoeba: program
	@$(call corpus,tatoeba-en-de)
	@OUTPUTS=text $(call result,tatoeba_en_de,$(tatoeba)/train,$(tatoeba)/valid,$(tatoeba)/test_dev,10)
	@configs/results/analysis.sh runs/tatoeba_en_de-$(firstword $(SEEDS))-averaged '$(tatoeba)/valid' \
	  runs/results/tatoeba_en_de/analysis

student = $(call result,tatoeba_en_de_student,$(tatoeba)/train,$(tatoeba)/valid,$(tatoeba)/test_dev,10)
results-student: results-tatoeba
	@OUTPUTS=text $(student)
	@OUTPUTS=text TEACHER=runs/tatoeba_en_de-$(firstword $(SEEDS))-averaged $(student)

# Claims of tutorials on models that two cores train in a minute; what is there is not made again.
NAMES ?= all
experiments: program
	@$(call corpus,multi30k)
	@OMP_NUM_THREADS=1 build/dragoman experiment run $(NAMES) -o runs/experiments \
	  --report runs/experiments/report $(if $(KEPT),--kept '$(KEPT)') \
	  --train-source '$(multi30k)/train.en.gz' --train-target '$(multi30k)/train.de.gz' \
	  --valid-source '$(multi30k)/val.en.gz' --valid-target '$(multi30k)/val.de.gz' \
	  --test-source '$(multi30k)/test_2016_flickr.en.gz' --test-target '$(multi30k)/test_2016_flickr.de.gz'

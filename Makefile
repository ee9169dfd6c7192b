# A thin front door to the CMake presets. After `make` the command is build/orthant.
PREFIX ?= /usr/local
SECONDS ?= 60
.PHONY: all setup demo test faults docs fuzz install dist deb bench format clean

all: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release
setup:
	@scripts/setup
demo: all
	@build/orthant demo --force
test: all
	@scripts/test
faults: all
	@tests/faults/drive build
docs:
	@scripts/setup docs
	@rm -rf build/docs && mkdir -p build/docs
	@doxygen docs/Doxyfile
	@/usr/bin/env PATH=/usr/bin:$$PATH scripts/make-site build/docs
	@echo build/docs/index.html
fuzz:
	@scripts/setup ci
	@fuzz/build.sh
	@fuzz/run $(SECONDS)
install: all
	@cmake --install build --prefix $(PREFIX)
dist:
	@scripts/make-dist
deb:
	@scripts/make-deb
bench: all
	@cmake --build --preset release --target bench
format:
	@scripts/setup ci
	@git ls-files '*.c' '*.h' | xargs clang-format -i
clean:
	@rm -rf build demo-run

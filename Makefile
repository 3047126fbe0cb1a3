# SPDX-License-Identifier: GPL-2.0
#
# ktput: TCP and UDP streams inside the kernel. "make help" lists the targets.

# Before anything is built: make takes a blank for the end of a name, and Kbuild, the
# VM runner and lines "#!" have limits of their own.
ifneq ($(filter-out help,$(or $(MAKECMDGOALS),all)),)
PLACE := $(shell pwd | LC_ALL=C awk ' \
	/[^A-Za-z0-9_+\/.-]/ { \
		print "may have letters, digits and _ + / . - alone"; exit } \
	length > 128 { print "may have 128 bytes, and has " length }')
ifneq ($(PLACE),)
$(error the path of the tree, $(CURDIR), $(PLACE): have it elsewhere)
endif
endif

KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= 6.1
KERNELS ?= 6.1 6.12 newest
PREFIX ?= /usr/local
export PREFIX DESTDIR

# A command that prints it: where modules_install puts modules, which with headers
# of a distribution is not what kernelrelease says; without headers the running one.
KERNEL_RELEASE = sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' '$(KDIR)/include/generated/utsrelease.h' 2>/dev/null || uname -r

# The tools first: they are there where the module cannot be built.
all: tools module

help:
	@echo 'make                  the tools, and the module for the running kernel (or KDIR=)'
	@echo 'make module           kmod/ktput.ko against KDIR=$(KDIR)'
	@echo 'make tools            the user-space tools'
	@echo 'make install          the module, the tools and their manual pages; PREFIX=, DESTDIR='
	@echo 'make uninstall        remove what make install installed; PREFIX=, DESTDIR='
	@echo 'make demo             in a VM (KERNEL=6.1): a run of each layer, then the ladder exact, in instructions'
	@echo 'make quick            what a change of a file wants: unit tests, laboratory, static checks of what'
	@echo '                      changed, in less than a minute; a pre-commit hook by make hooks'
	@echo 'make test T=NAME      a test by name, file or pattern, and what it needs; K=6.12, EXACT=1, LIST=1'
	@echo 'make test CHANGED=1   the tests that notice what differs from HEAD, or from CHANGED=BASE'
	@echo 'make vm               a VM that stays (K=6.1): selftests/vm/in runs commands in it'
	@echo 'make check            every test, on the stock 6.1 and 6.12 kernels in VMs'
	@echo 'make check-debug      every test, on a 6.1 kernel built to find defects; SAN=kcsan: data races'
	@echo 'make check-rt         every test, on the PREEMPT_RT kernels 6.1 and 6.12'
	@echo 'make check-bare       demo and check on a bare Debian 12, as root; DO="make demo" one, ROOT=DIR keeps it'
	@echo 'make check-newest     the module and a core of tests on the newest kernel of later suites'
	@echo 'make check-arm64      the module and the tools compiled for arm64, and run on an emulated one'
	@echo 'make check-clang      the module compiled by clang, for 6.12'
	@echo 'make check-lifetimes  what ends runs under traffic, TIMES=200 times each, in a VM (KERNEL=6.1)'
	@echo 'make soak             full load for MINUTES=60 in a VM (KERNEL=6.1): exact counts, flat memory'
	@echo 'make scenarios        in a VM (KERNEL=6.1): the experiments of the memos, repeated; ONLY=NAME, FORM=short'
	@echo 'make cache-lines      in VMs (KERNELS="6.1 6.12"): cache lines and copies of a packet on five paths; LADDER=1 at each rung'
	@echo 'make price-list       in VMs (KERNELS="6.1 6.12 newest"): what each part of the network stack costs, in instructions'
	@echo 'make check-itself     in VMs (KERNEL=6.1): the ladder of a kernel beside itself, TIMES=10 times, is the same to 0.5 %'
	@echo 'make check-improve    in VMs (KERNELS="6.1 6.12"): is the remedy found, and only that, in situations made for it'
	@echo 'make check-verdict    in VMs (KERNELS="6.1 6.12"): is the bottleneck right, in N=200 situations drawn from SEED=37'
	@echo 'make bench            in a VM (KERNEL=6.1): instructions per KB and per message beside iperf3'
	@echo 'make mutants          small faults, one at a time, and whether tests notice; ONLY=FILE, BLIND=N drawn from the code'
	@echo 'make dist             build/ktput-VERSION.tar.gz of HEAD, the same wherever it is made, and its SPDX document'
	@echo 'make check-dist       the tarball, tested'
	@echo 'make html             the documents as pages, in build/html'
	@echo 'make deb              Debian packages of HEAD, in build/deb'
	@echo 'make rpm              RPM packages of HEAD, in build/rpm'
	@echo 'make image            an OCI image of ktput-ctl of HEAD, by podman, buildah or docker'
	@echo 'make check-image      the image, built and run, as root'
	@echo 'make check-rpm        the packages, built, unpacked and checked by rpmlint'
	@echo 'make check-deb        the packages, built and installed in a bare Debian 12, as root, and in VMs'
	@echo 'make kselftest-install  into the kernel sources DEST=, as a target of their selftests'
	@echo 'make pscheduler       the Debian package of the plug-ins for pScheduler, in build/pscheduler'
	@echo 'make check-pscheduler the same, judged by pScheduler itself, as root; PSCHEDULER=DIR is its checkout'
	@echo 'make check-slurm      a mesh within an allocation of Slurm, as root'
	@echo 'make check-kselftest  the kernel'"'"'s rules build, run and install it'
	@echo 'make static           checkpatch, sparse, W=1, kernel-doc, shellcheck, yamllint'
	@echo 'make generate         what derives from Documentation/netlink/specs/ktput.yaml'
	@echo 'make setup            install what demo, check, bench and static need (Debian 12)'
	@echo 'make clean            remove what make built, but keep build/cache'

module:
	@test -e '$(KDIR)/Makefile' || { \
		echo 'the module is not built: no kernel headers in $(KDIR)' >&2; \
		echo 'install linux-headers-'"$$(uname -r)"', or set KDIR=; "make tools" builds the tools alone' >&2; \
		exit 1; }
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' modules

tools:
	$(MAKE) -C tools

install: all
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' INSTALL_MOD_PATH='$(DESTDIR)' \
		INSTALL_MOD_STRIP=1 CONFIG_MODULE_SIG_ALL= modules_install
	[ -n '$(DESTDIR)' ] || depmod -a "$$($(KERNEL_RELEASE))"
	$(MAKE) -C tools install

# Where modules_install puts it, by the version of the kernel, compressed or not.
uninstall:
	modules='$(DESTDIR)/lib/modules/'"$$($(KERNEL_RELEASE))"; \
	for dir in extra updates; do \
		rm -f "$$modules/$$dir/kmod/ktput.ko"*; \
		rmdir "$$modules/$$dir/kmod" "$$modules/$$dir" 2>/dev/null; \
	done; true
	[ -n '$(DESTDIR)' ] || depmod -a "$$($(KERNEL_RELEASE))"
	$(MAKE) -C tools uninstall

setup:
	selftests/ci/setup.sh

generate: setup
	selftests/ci/generate.sh

static: setup
	selftests/ci/static.sh

check-newest: setup
	selftests/ci/check-newest.sh

check-arm64: setup
	selftests/ci/check-arm64.sh

check-clang: setup
	selftests/ci/clang.sh

check:
	selftests/ci/check.sh

quick:
	@selftests/ci/quick.py

test:
	@selftests/ci/test.py --changed '$(CHANGED)' --kernels '$(K)' \
		$(if $(EXACT),--exact) $(if $(LIST),--list) -- $(foreach t,$(T),'$t')

vm: tools
	selftests/ci/module.sh $(or $(K),$(KERNEL)) >/dev/null
	selftests/vm/run --keep $(if $(EXACT),--icount) $(or $(K),$(KERNEL))

hooks:
	selftests/ci/hooks.sh

check-bare:
	selftests/ci/check-bare.sh $(if $(ROOT),--root '$(ROOT)') $(if $(DO),'$(DO)')

dist:
	packaging/dist.sh

check-dist:
	selftests/ci/dist.sh

html: $(patsubst Documentation/%.rst,build/html/%.html,\
		$(wildcard Documentation/*.rst Documentation/*/*.rst))
	cd Documentation && cp --parents measure/*.json measure/*.ipynb netlink/specs/*.yaml ../build/html/

# Links lead from page to page.
build/html/%.html: Documentation/%.rst
	@mkdir -p $(@D)
	rst2html --halt=warning $< $@.new
	@sed 's/\(href="[a-z0-9.\/-]*\)\.rst"/\1.html"/g' $@.new >$@ && rm $@.new

deb:
	packaging/deb.sh

rpm:
	packaging/rpm.sh

check-rpm:
	selftests/ci/rpm.sh

image:
	packaging/image.sh

check-image: setup
	selftests/ci/check-image.sh

kselftest-install:
	packaging/kselftest.sh '$(DEST)'

# Not with the other packages: it depends on what Debian does not have.
pscheduler:
	packaging/pscheduler.sh

check-pscheduler: setup tools
	selftests/ci/check-pscheduler.sh

check-slurm: setup tools
	selftests/ci/check-slurm.sh

check-kselftest: setup
	selftests/ci/kselftest.sh

check-deb: setup
	selftests/ci/deb.sh

check-debug:
	selftests/ci/check-debug.sh $(or $(SAN),debug)

check-rt:
	selftests/ci/check-debug.sh 6.1-rt
	selftests/ci/check-debug.sh 6.12-rt

demo: setup tools
	selftests/ci/module.sh $(KERNEL)
	selftests/vm/run --timeout 900 --results build/demo $(KERNEL) -- selftests/demo.sh
	selftests/vm/run --icount --timeout 1800 --results build/demo/exact $(KERNEL) -- \
		selftests/demo.sh exact
	build/tools/ktput-report html build/demo/exact/ladder.jsonl out build/demo/ladder.html
	build/tools/ktput-report plot ladder build/demo/exact/ladder.jsonl out build/demo/ladder.svg

# A VM for each, so that one that fails does not take the others with it.
SCENARIOS := $(or $(ONLY),$(patsubst tools/lab/ktput/scenarios/%.toml,%,\
	$(wildcard tools/lab/ktput/scenarios/*.toml)))

# Two VMs at a time; what each prints is shown at the end.
scenarios: setup tools
	selftests/ci/module.sh $(KERNEL)
	printf '%s\n' $(SCENARIOS) | xargs -P 2 -I NAME \
		selftests/vm/run --icount --nic e1000e --timeout 5400 \
		--results build/scenarios/NAME \
		$(KERNEL) -- selftests/scenario.sh NAME $(FORM) >/dev/null; \
	status=$$?; cat $(SCENARIOS:%=build/scenarios/%/scenario.txt); exit $$status

# Records of what is not right stay in build/verdict.
check-verdict: setup tools
	for kernel in $(filter-out newest,$(KERNELS)); do \
		selftests/ci/module.sh $$kernel || exit; done
	printf '%s\n' $(filter-out newest,$(KERNELS)) | xargs -P 2 -I VERSION bash -o pipefail -c \
		'selftests/vm/run --timeout 7200 --results build/verdict/VERSION VERSION -- sh -c "\
		modprobe -q tun; insmod build/\$$(uname -r)/ktput.ko && \
		selftests/verdict/situations.py --keep \$$KTPUT_RESULTS/records \
			--seed $(or $(SEED),37) --count $(or $(N),200)" | sed -u "s/^/VERSION: /"'

check-improve: setup tools
	printf '%s\n' $(filter-out newest,$(KERNELS)) | xargs -P 2 -I VERSION bash -o pipefail -c \
		'selftests/vm/run --nic e1000e --timeout 7200 --results build/improve/VERSION VERSION -- \
		selftests/verdict/remedies.py | sed -u "s/^/VERSION: /"'

bench: setup tools
	selftests/ci/module.sh $(KERNEL)
	selftests/ci/module.sh --uncounted $(KERNEL)
	selftests/vm/run --icount --timeout 5400 --results build/bench $(KERNEL) -- selftests/bench/run.sh
	selftests/vm/run --icount --timeout 5400 --lines --cpus 2 --results build/bench/queues $(KERNEL) -- \
		selftests/bench/run.sh queues

# What is in the record is not measured again.
price-list: setup tools
	$(if $(filter newest,$(KERNELS)),selftests/ci/newest.sh)
	build/tools/ktput-ctl compare price-list $(KERNELS) jobs 2 record build/price-list.jsonl \
		csv build/price-list.csv html build/price-list.html >build/price-list.txt
	cat build/price-list.txt

cache-lines: setup tools
	for kernel in $(filter-out newest,$(KERNELS)); do \
		selftests/ci/module.sh $$kernel || exit; done
	selftests/compare/cache.py $(if $(LADDER),--ladder) $(filter-out newest,$(KERNELS))

check-itself: setup tools
	selftests/compare/itself.sh $(KERNEL) $(or $(TIMES),10)

mutants: setup
	selftests/mutants/mutants.py --kernel $(KERNEL) $(if $(ONLY),--only '$(ONLY)') \
		$(if $(BLIND),--blind $(BLIND) $(if $(SEED),--seed $(SEED)))

check-lifetimes: setup tools
	selftests/ci/module.sh $(KERNEL)
	selftests/vm/run --timeout 14400 --results build/lifetimes \
		--append slub_debug=U $(KERNEL) -- \
		env KTPUT_CHURN=$(or $(TIMES),200) selftests/cases/test_churn.py

soak: setup tools
	selftests/ci/module.sh $(KERNEL)
	KTPUT_MINUTES=$(or $(MINUTES),60) selftests/bench/soak.sh $(KERNEL)

clean:
	find . -maxdepth 4 \( -path ./build -o -path ./.git \) -prune -o -type f \( \
		-name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o \
		-name '.*.cmd' -o -name '*.o.d' -o -name Module.symvers -o \
		-name modules.order -o -name .module-common.o \) -exec rm -f {} +
	$(MAKE) -C tools clean
	find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true

.PHONY: all help module tools install uninstall setup generate static check \
	quick test vm hooks \
	check-bare check-dist check-debug check-rt check-newest check-clang \
	check-lifetimes check-improve check-verdict soak demo scenarios bench mutants dist html deb rpm check-deb \
	check-rpm image check-image kselftest-install check-kselftest check-arm64 pscheduler \
	check-pscheduler check-slurm price-list cache-lines check-itself clean

# Everything here does its own set-up: the container engine, the images, the tools.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

KAFKA  ?= 3.9.2
WORKERS ?=
FOCUS  ?=
SEED   ?=
KEEP   ?=
EVIDENCE ?=
PLAN   ?=
REPEAT ?= 1
SHARD  ?=
UNTIL_FAIL ?=
BOOTS  ?= 5
PAIRS  ?= 7
ID     ?=
N      ?= 1
OUT    ?= out

# Scenarios read these; the rest are ginkgo's.
export KAFKA WORKERS SEED KEEP EVIDENCE SHARD REPEAT UNTIL_FAIL
export PLAN := $(if $(PLAN),$(abspath $(PLAN)))
export KAFKACHAOS_OUT := $(abspath $(OUT))

# Go asks its registry for a program by version each time: it finds here what it has fetched before.
BY_VERSION := GOPROXY="file://$$(go env GOMODCACHE)/cache/download,$$(go env GOPROXY)" go run
LINT    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONS := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
COMMAND := go run ./harness/cmd/kafkachaos
GINKGO  := go tool ginkgo run -v --no-color --fail-on-empty --timeout=80m \
           --junit-report=junit.xml --json-report=report.json

# The core is what a run has time for while somebody waits. A title is enough to ask
# for any other scenario, and a plan from a file is one of its own.
LABELS ?= $(if $(FOCUS),,core)
SELECT := $(if $(SEED),--seed=$(SEED)) $(if $(FOCUS),--focus='$(FOCUS)') \
          $(if $(PLAN),--label-filter=file,$(if $(LABELS),--label-filter='$(LABELS)'))

.PHONY: help
help: ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22
	@echo
	@echo "  KAFKA=2.1.0     the Kafka release (0.9.0.0 to 3.9.2), default $(KAFKA)"
	@echo "  WORKERS=3.6.0   the release of the Connect workers, default KAFKA"
	@echo "  FOCUS='regexp'  only the scenarios whose title matches"
	@echo "  LABELS='a && b' only the scenarios with these labels, default 'core' unless FOCUS is given; LABELS= for all"
	@echo "  SEED=7          draw the plans from this seed, default a fresh one that is printed"
	@echo "  REPEAT=5        run them so often; UNTIL_FAIL=1 for as long as nothing fails"
	@echo "  SHARD=2/3       run the second of three shares of them"
	@echo "  PLAN=file       run the plan in this file, as a run before left it in $(OUT)/plans"
	@echo "  KEEP=1          leave the cluster of a failed scenario up, to look at; make clean removes it"
	@echo "  EVIDENCE=all    collect evidence of every scenario, not of those alone that fail"
	@echo "  PAIRS=7         how many pairs bench-traffic runs, with and without a history"
	@echo "  BOOTS=5         how many boots a version bench-boot times"
	@echo "  DIR=folder      the recorded run that replay judges again"
	@echo "  ID=A,B N=10     which incidents to try, default all, and how often on each release, default $(N)"

.PHONY: test
test: ## everything that needs no containers, in seconds
	go vet ./scenarios
	go test -p 4 -vet=all $$(go list ./... | grep -v '/scenarios$$') # four at once: the proxy's tests wait more than they work
	cd examples && go test -short ./...

.PHONY: lint
lint: ## formatting, linters, who may import whom, and the workflows
	@test -z "$$(gofmt -l .)" || { echo "run gofmt -w on:"; gofmt -l .; exit 1; }
	$(BY_VERSION) $(LINT) run ./...
	cd examples && $(BY_VERSION) $(LINT) run ./...
	$(BY_VERSION) $(ACTIONS)

.PHONY: modules
modules: ## fetch what make test and make lint are built of; after it they need no network
	go mod download
	cd examples && go mod download
	$(BY_VERSION) $(LINT) version
	$(BY_VERSION) $(ACTIONS) -version

.PHONY: engine
engine: ## start a container engine where none answers
	@docker/engine.sh

.PHONY: images
images: engine ## build the images of KAFKA, which may list several releases
	@$(COMMAND) images $(KAFKA) $(WORKERS)

.PHONY: chaos
# What is known to be red on an old release is left out where nobody asked for it.
chaos: export KAFKACHAOS_UNASKED := $(if $(filter file,$(origin LABELS)),$(if $(FOCUS)$(PLAN),,1))
chaos: images ## break a real cluster and see that it comes back: the core of what it must survive
	@scenarios/rounds.sh $(OUT) $(GINKGO) $(SELECT) ./scenarios

.PHONY: nightly
nightly: ## the whole catalogue of what a cluster must survive; not the harness's own, nor what has no cure (make incidents)
	@$(MAKE) chaos LABELS='!long && !faults && !harness && !unsolved'

.PHONY: examples
examples: engine ## run what is written from outside: a connector and a configuration of its own
	cd examples && go test -count=1 -v ./...

.PHONY: incidents
incidents: engine ## try real incidents: red on the affected release, green on the cured one
	@go run ./scenarios/cmd/incidents -id='$(ID)' -n='$(N)' -out='$(OUT)/incidents'

.PHONY: bench-boot
bench-boot: engine ## time the start and the stop of a cluster, and print its memory
	@$(COMMAND) images 0.9.0.0 2.1.0 3.9.2
	@$(COMMAND) bench-boot $(BOOTS) 0.9.0.0 2.1.0 3.9.2

.PHONY: bench-faults
bench-faults: images ## time faults of links, and what an idle proxy costs
	@$(COMMAND) bench-faults
	go test -run '^$$' -bench . ./docker/toxiproxy/egress ./harness/internal/mesh | grep -v '^ok\|^PASS'

.PHONY: bench-traffic
bench-traffic: images ## count the records that are acknowledged a second, with and without a history
	@$(COMMAND) bench-traffic $(PAIRS)

.PHONY: bench-judge
bench-judge: ## time judging of 10 thousand to 10 million operations, its memory, and what recording costs
	go test -run '^$$' -bench 'Judge|Replay' -benchtime 2x ./assertions/invariant
	go test -run '^$$' -bench . ./harness/history

.PHONY: replay
replay: ## judge a recorded run again, without containers: make replay DIR=folder
	@go run ./assertions/cmd/replay '$(or $(DIR),$(error which run? say make replay DIR=folder, a folder with a history.jsonl))'

.PHONY: report
report: ## write the page of a recorded run again, or that of several shards: make report OUT=page DIRS='out-1 out-2'
	@go run ./scenarios/cmd/report -out '$(OUT)' $(or $(DIRS),'$(OUT)')

.PHONY: table
table: ## print how often each obligation held in SUMMARIES, its seconds, longest wait and recovery
	@go run ./scenarios/cmd/report -table '$(or $(SUMMARIES),$(OUT)/summary.jsonl)'

.PHONY: trend
trend: ## compare the summaries of this run and earlier ones with the budget; SUMMARIES='*/summary.jsonl'
	@go run ./scenarios/cmd/report -trend -budget scenarios/budget.json '$(or $(SUMMARIES),$(OUT)/summary.jsonl)'

.PHONY: browser-test
browser-test: ## open the page of a run in a real browser, which root installs where there is none
	@docker/browser.sh
	go test -count=1 ./harness/report/browsertest

.PHONY: clean
clean: ## remove the containers and networks of dead runs, also kept ones, and OUT
	@$(COMMAND) clean
	rm -rf $(OUT) examples/out

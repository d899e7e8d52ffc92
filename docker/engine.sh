#!/usr/bin/env bash
# Sees to it that a Docker engine answers: says nothing and ends with 0 when one
# does; else installs and starts Debian's where it may (root, apt, DOCKER_HOST
# unset); else ends with 1 and one sentence that says what to do.
set -uo pipefail

socket=/var/run/docker.sock
state=/var/run/docker
log=${KAFKACHAOS_ENGINE_LOG:-/var/log/kafkachaos-dockerd.log}
wait_seconds=60
started= # the process id of the engine that this script started

say() { echo "engine: $*"; }
fail() {
	echo "engine: $*" >&2
	exit 1
}

# answers asks the engine that DOCKER_HOST (or the docker context) names.
answers() {
	if command -v docker >/dev/null; then
		timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1
	elif command -v curl >/dev/null; then
		local host=${DOCKER_HOST:-unix://$socket} ask=(curl --silent --fail --max-time 10)
		case $host in
		unix://*) "${ask[@]}" --unix-socket "${host#unix://}" http://engine/_ping >/dev/null ;;
		tcp://*) "${ask[@]}" "http://${host#tcp://}/_ping" >/dev/null ;;
		*) return 1 ;;
		esac
	else
		return 1
	fi
}

# running says whether a process of that command name lives (names end at 15
# letters; a zombie does not count). Needs no procps.
running() { grep -qsE "^[0-9]+ \($1\) [^ZX]" /proc/[0-9]*/stat; }

install_engine() {
	command -v dockerd >/dev/null && command -v iptables >/dev/null && return
	say "no Docker engine here: installing Debian's docker.io"
	local out
	out=$( (
		export DEBIAN_FRONTEND=noninteractive
		export RES_OPTIONS="timeout:2 attempts:5" # a name server that loses a question costs two seconds
		apt-get update -qq && apt-get install -y -qq --no-install-recommends docker.io iptables
	) 2>&1) ||
		fail "cannot install docker.io ($(tail -n 1 <<<"$out")): install a Docker engine by hand, or set DOCKER_HOST"
}

# clean_leftovers removes what an engine that was killed leaves and a new one
# trips over: pid files (their numbers may be other processes' by now), sockets
# nobody serves, and the run-time state of containers whose shims are gone
# ("container with id exists" at their next start). Containers that it had
# paused are thawed first: a frozen process cannot even be killed.
clean_leftovers() {
	local frozen
	for frozen in /sys/fs/cgroup/freezer/docker/*/freezer.state; do
		[[ ! -w $frozen ]] || echo THAWED >"$frozen"
	done
	for frozen in /sys/fs/cgroup/{docker,system.slice}/docker-*/cgroup.freeze /sys/fs/cgroup/docker/*/cgroup.freeze; do
		[[ ! -w $frozen ]] || echo 0 >"$frozen"
	done
	rm -f "$socket" /var/run/docker.pid
	running containerd && return
	rm -f "$state"/containerd/containerd.pid "$state"/containerd/*.sock* "$state"/metrics.sock
	running containerd-shim ||
		rm -rf "$state"/runtime-runc "$state"/containerd/daemon "$state"/libnetwork/*.sock
}

start_engine() {
	if [[ -d /run/systemd/system ]]; then
		say "starting the docker service"
		systemctl start docker >/dev/null 2>&1
		return
	fi
	if ! running dockerd; then
		clean_leftovers
		say "starting dockerd (log: $log)"
		setsid nohup dockerd </dev/null >"$log" 2>&1 9>&- &
		started=$!
	fi
}

wait_for_engine() {
	local deadline=$((SECONDS + wait_seconds))
	until answers; do
		((SECONDS < deadline)) || return 1
		[[ -z $started ]] || kill -0 "$started" 2>/dev/null || return 1
		sleep 0.1
	done
}

answers && exit 0
if [[ -n ${DOCKER_HOST:-} ]]; then
	fail "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST: start that engine, or unset DOCKER_HOST"
fi
if [[ -S $socket && ! -w $socket ]]; then
	fail "the Docker engine at $socket refuses user $(id -un): join its group ('sudo usermod -aG docker $(id -un)', then log in again) or run as root"
fi
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
	fail "no Docker engine answers: start one, or set DOCKER_HOST, or run 'sudo docker/engine.sh' on Debian or Ubuntu to install and start one"
fi
exec 9>/var/lock/kafkachaos-engine.lock && flock 9 # two callers start one engine
answers && exit 0
install_engine
answers || start_engine
wait_for_engine && exit 0
[[ -n $started || ! -d /run/systemd/system ]] || fail "the docker service does not answer: see 'journalctl -u docker'"
fail "dockerd does not answer ($(grep -v 'level=info' "$log" 2>/dev/null | tail -n 1)): see $log"

#!/usr/bin/env bash
# Writes a small Debian as a tar archive to standard output, for hosts that
# reach Debian's packages but no image registry. Needs root and debootstrap,
# which it installs with apt where it is missing; progress goes to stderr.
# Usage: rootfs.sh SUITE
set -euo pipefail

suite=$1
export RES_OPTIONS="timeout:2 attempts:5" # a name server that loses a question costs two seconds
command -v debootstrap >/dev/null || {
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends debootstrap debian-archive-keyring >&2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
printf 'timeout = 30\ntries = 3\n' >"$work/wgetrc" # by default a silent mirror is waited for for 15 min
export WGETRC=$work/wgetrc
debootstrap --variant=minbase "$suite" "$root" >&2
# What a slim image goes without, and the devices, which the engine makes.
tar -C "$root" --create --numeric-owner \
	--exclude='./dev/*' --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' \
	--exclude='./var/log/*' --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' \
	--exclude='./usr/share/locale/*' --exclude='./usr/share/info/*' .

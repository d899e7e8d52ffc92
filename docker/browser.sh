#!/usr/bin/env bash
# Installs Debian's chromium where there is none. Needs root, and says so.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "there is no chromium, and only root on Debian can install it: apt-get install chromium" >&2
	exit 1
fi
echo "== installing chromium"
export RES_OPTIONS="timeout:2 attempts:5" # a name server that loses a question costs two seconds
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core

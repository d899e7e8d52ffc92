#!/usr/bin/env bash
# cache.sh save|load FILE: puts the images that runs need into a file, and takes them
# out of it, for machines that begin with nothing. An image tells its recipe by its
# name: one out of the file is built again only if its recipe has changed.
set -euo pipefail

case ${1:-} in
save)
	mapfile -t images < <(for name in kafka toxiproxy connector; do
		docker images --format '{{.Repository}}:{{.Tag}}' "kafkachaos/$name"
	done)
	docker save "${images[@]}" | gzip -1 >"$2.half"
	mv "$2.half" "$2"
	;;
load) [[ ! -e $2 ]] || docker load -q <"$2" ;;
*) echo "usage: cache.sh save|load FILE" >&2 && exit 64 ;;
esac

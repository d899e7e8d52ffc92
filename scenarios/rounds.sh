#!/usr/bin/env bash
# rounds.sh OUT COMMAND... PACKAGE: runs the scenarios by the ginkgo command, REPEAT times, or
# with UNTIL_FAIL until something fails. Reports go to OUT, those of the second round
# to OUT/round-2 and so on. Fails if any round did.
set -euo pipefail
out=$1
shift

case ${REPEAT:=1} in
*[!0-9]* | 0*) echo "REPEAT=$REPEAT: want how often to run, such as 5" >&2; exit 1 ;;
esac
[ -z "${UNTIL_FAIL:-}" ] || [ "$REPEAT" -gt 1 ] || REPEAT=1000000

failed=0
for ((round = 1; round <= REPEAT; round++)); do
	folder=$out
	[ "$round" -eq 1 ] || folder=$out/round-$round
	[ "$REPEAT" -eq 1 ] || echo "== round $round${UNTIL_FAIL:+, until one fails}"
	mkdir -p "$folder"
	ATTEMPT=$round "${@:1:$#-1}" --output-dir="$folder" "${!#}" || failed=$((failed + 1))
	[ "$failed" -eq 0 ] || [ -z "${UNTIL_FAIL:-}" ] || break
done
[ "$REPEAT" -eq 1 ] || echo "== $((round <= REPEAT ? round : REPEAT)) rounds, $failed failed"
[ "$failed" -eq 0 ]

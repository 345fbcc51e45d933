#!/usr/bin/env bash
# Builds algal-verify twice from two folders and compares: same source, same Go release, same bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in one two; do
  mkdir -p "$work/$n/checkout"
  (cd "$root" && tar -cf - --exclude=./.git --exclude=./testdata .) | tar -xf - -C "$work/$n/checkout"
  (cd "$work/$n/checkout" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$work/$n/algal-verify" ./cmd/algal-verify)
done
sha256sum "$work"/*/algal-verify | sed "s|$work/||"
cmp "$work/one/algal-verify" "$work/two/algal-verify"
echo "identical"

#!/bin/sh
# plant.sh PATCH_PROGRAM PATCH WORK INTO ROOT FILES..: copies FILES, paths from ROOT, into the folder WORK, applies PATCH to them there without fuzz,
# and moves them INTO another folder. One program, as a build starts it for every mutant.
set -eu
patch_program=$1 patch=$2 work=$3 into=$4 root=$5
shift 5
rm -rf "$work"
for file; do
  mkdir -p "$work/${file%/*}" "$into/${file%/*}"
  cp "$root/$file" "$work/$file"
done
"$patch_program" --quiet --strip=1 --fuzz=0 --directory="$work" --input="$patch"
for file; do mv -f "$work/$file" "$into/$file"; done

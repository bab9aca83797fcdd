#!/usr/bin/env bash
# Installs, from Debian's packages, the programs that the tests run beside npm's: Chromium for the
# studio, Redis for batch, Blender and VTK to read our files back, ffmpeg for films. Quick and silent
# if everything is there; where it may not install, one line says what to install, and it fails.
set -euo pipefail

missing=()
command -v blender >/dev/null || missing+=(blender)
/usr/bin/python3 -c 'import vtk' 2>/dev/null || missing+=(python3-vtk9)
/usr/bin/python3 -c 'import numpy' 2>/dev/null || missing+=(python3-numpy)
command -v ffmpeg >/dev/null || missing+=(ffmpeg)
command -v chromium >/dev/null || missing+=(chromium)
command -v redis-server >/dev/null || missing+=(redis-server)
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "the tests need: sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
if ! command -v apt-get >/dev/null; then
  echo "the tests need these programs (Debian's names): ${missing[*]}" >&2
  exit 1
fi

echo "installing for the tests: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
install() { "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
# the list of packages may be old or absent: a second try after an update
if ! install; then
  "${as_root[@]}" apt-get update >"$log" 2>&1 || true
  if ! install; then
    tail -n 5 "$log" >&2
    echo "the tests need: apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
rm -f "$log"

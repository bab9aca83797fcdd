#!/usr/bin/env bash
# Builds the Containerfile and stops a run in it as Kubernetes does: the program as process 1 in place of a shell gets SIGTERM, writes a checkpoint, and the run is resumed.
#
#   npm run build && sudo bash scripts/try-container.sh
#
# Needs root and Debian's buildah and debootstrap. The base is made by debootstrap from Debian's packages, as docker.io/library/debian:trixie-slim is, so
# that no registry of images is needed. Takes some three minutes, most of them for the base.
set -euo pipefail
cd "$(dirname "$0")/.."
export STORAGE_DRIVER=vfs
version=$(node -p 'require("./package.json").version')
work=$(mktemp -d)
container=""
finish() {
  [ -z "$container" ] || { umount "$root/work" 2>/dev/null || true; buildah rm "$container" >/dev/null; }
  rm -rf "$work"
}
trap finish EXIT

# a base, and the context that the Containerfile describes
base=$(buildah from scratch)
debootstrap --variant=minbase trixie "$(buildah mount "$base")" http://deb.debian.org/debian /usr/share/debootstrap/scripts/bookworm >/dev/null
buildah commit --quiet --rm "$base" localhost/debian-trixie >/dev/null
npm pack --ignore-scripts --pack-destination "$work" >/dev/null 2>&1
npm install --silent --prefix "$work/container" "$work/isoplate-$version.tgz"
buildah build --quiet --isolation chroot --network host --build-arg BASE=localhost/debian-trixie -t "isoplate:$version" -f Containerfile "$work" >/dev/null
echo "built isoplate:$version"

# its root, with a folder of ours as /work, and processes numbered from 1
container=$(buildah from "localhost/isoplate:$version")
root=$(buildah mount "$container")
mkdir "$work/shared" && chown 1000 "$work/shared"
mkdir -p "$root/work" && mount --bind "$work/shared" "$root/work"
inside() {
  unshare --pid --fork --mount --mount-proc="$root/proc" chroot --userspec=1000:1000 "$root" \
    /usr/bin/env -i HOME=/home/isoplate PATH=/opt/isoplate/node_modules/.bin:/usr/bin:/bin sh -c "cd /work && exec $1"
}
echo '{"seconds":1e5,"record":{"checkpoint":0.1},"sheet":{"shape":{"type":"disc","radius":0.2},"sampling":{"points":60}}}' >"$work/shared/long.json"
inside "isoplate run long.json --out rec --quiet --no-report" >"$work/said" 2>&1 &
started=$!
while [ ! -e "$work/shared/rec/checkpoint" ]; do sleep 0.2; done
first=$(cat "/proc/$started/task/$started/children")
grep --quiet '"pid":1,' "$work/shared/rec/lock" || { echo "the program is not process 1"; exit 1; }
kill -TERM $first
code=0
wait "$started" || code=$?
cat "$work/said"
[ "$code" = 1 ] && grep --quiet "go on with: isoplate run --resume rec" "$work/said" || { echo "it ended with $code"; exit 1; }

# and goes on where it was
seconds=$(node -p 'Math.ceil(Number(/at ([\d.]+) s/.exec(require("fs").readFileSync(process.argv[1], "utf8"))[1])) + 1' "$work/said")
inside "isoplate run --resume rec --seconds $seconds --quiet --no-report" | tail -1
node dist/cli/main.js verify "$work/shared/rec" --quiet
echo "process 1 wrote a checkpoint on SIGTERM, and the run was resumed"

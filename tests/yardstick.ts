/**
 * How fast this machine is now, for limits of time: they are promises for an idle machine of two cores at 3 GHz, and
 * other machines, busy ones too, get as much more as a fixed piece of work takes them.
 */

/** s of wall time that the work below takes on the machine of the promises. */
const REFERENCE = 0.14;

/** 1 on the machine of the promises or a faster one, 3 where everything takes three times as long. */
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    const began = performance.now();
    work();
    least = Math.min(least, (performance.now() - began) / 1000);
  }
  return Math.max(1, least / REFERENCE);
}

/** Arithmetic on more numbers than the first caches hold, some allocation, some branches. */
function work(): number {
  const size = 1 << 16;
  const a = new Float64Array(size);
  let s = 1;
  for (let round = 0; round < 100; round++) {
    for (let i = 0; i < size; i++) {
      s = (s * 16807) % 2147483647;
      a[i] = a[(i + s) & (size - 1)] * 0.5 + Math.sqrt(s);
    }
  }
  return Array.from(a, (x) => ({ x })).sort((p, q) => p.x - q.x)[0].x;
}

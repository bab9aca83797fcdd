/**
 * How fast this machine is now, for limits of time: they hold for an idle machine of two cores at 3 GHz, and are multiplied on other machines, busy
 * ones too, by how much longer a fixed piece of work takes there.
 */

/** s of wall time that the work below takes on the machine that limits hold for. */
const REFERENCE = 0.14;

/** 1 on the machine that limits hold for or a faster one, 3 where everything takes three times as long. */
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

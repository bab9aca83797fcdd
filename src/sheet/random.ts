/**
 * Seeded random numbers with the same bits on every engine: sfc32, by integer adds, shifts and xors
 * alone.
 *
 * Streams of one seed are independent, so that the noise of one sheet does not change when another
 * sheet gains a point.
 */
/** Uniform in [0, 1), with 32 random bits. */
export type Random = () => number;

export function createRandom(seed: number, stream = 0): Random {
  // The seed may be any number; its low and high words and the stream fill three words of the
  // state.
  let a = seed >>> 0;
  let b = Math.floor(seed / 4294967296) >>> 0;
  let c = stream >>> 0;
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  // Similar seeds start alike; sfc32 has forgotten the start after a dozen rounds.
  for (let k = 0; k < 16; k++) next();
  return next;
}

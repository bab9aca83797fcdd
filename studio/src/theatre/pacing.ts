/**
 * When to draw: one picture at a time, only when something changed, with as many pixels as the machine manages while
 * things move, and sharp when they rest.
 */

export interface Pacing {
  /** The painter is at work. */
  busy: boolean;
  /** Something changed since the picture that is being drawn. */
  dirty: boolean;
  /** The animation frame in which the next picture is sent; 0: none. */
  scheduled: number;
  /** ms, when the last picture was sent. */
  sentAt: number;
  /** Place in QUALITY. */
  quality: number;
  /** ms, mean over the last pictures. */
  slowness: number;
  /** Pictures that asked for the same change of quality. */
  patience: number;
  resting: ReturnType<typeof setTimeout> | undefined;
  sharpNext: boolean;
}

/** Shares of the screen's pixels that are tried while things move. */
const QUALITY = [1, 0.75, 0.5];
/** ms a picture may take before fewer pixels are drawn, and below which more are tried. */
const SLOW = 45;
const QUICK = 18;
/** ms of rest after which the picture is drawn sharp. */
const REST = 250;

export function createPacing(): Pacing {
  return {
    busy: false,
    dirty: false,
    scheduled: 0,
    sentAt: 0,
    quality: 0,
    slowness: (SLOW + QUICK) / 2,
    patience: 0,
    resting: undefined,
    sharpNext: false,
  };
}

/** Asks for a picture in the next animation frame. */
export function requestDraw(pacing: Pacing, draw: () => void): void {
  pacing.dirty = true;
  if (pacing.busy || pacing.scheduled !== 0) return;
  pacing.scheduled = requestAnimationFrame(() => {
    pacing.scheduled = 0;
    draw();
  });
}

/** A picture is sent; gives the device pixels for each CSS pixel of it. */
export function beginDraw(pacing: Pacing): number {
  pacing.dirty = false;
  pacing.busy = true;
  pacing.sentAt = performance.now();
  clearTimeout(pacing.resting);
  const pixels = Math.min(2, globalThis.devicePixelRatio || 1);
  const ratio = pixels * (pacing.sharpNext ? 1 : QUALITY[pacing.quality]);
  pacing.sharpNext = false;
  return ratio;
}

/** A picture is there. */
export function endDraw(pacing: Pacing, again: () => void): void {
  adapt(pacing, performance.now() - pacing.sentAt);
  pacing.busy = false;
  if (pacing.dirty) again();
  else if (pacing.quality > 0) {
    clearTimeout(pacing.resting);
    pacing.resting = setTimeout(() => {
      pacing.sharpNext = true;
      again();
    }, REST);
  }
}

function adapt(pacing: Pacing, milliseconds: number): void {
  pacing.slowness += 0.2 * (milliseconds - pacing.slowness);
  const step = pacing.slowness > SLOW ? 1 : pacing.slowness < QUICK ? -1 : 0;
  const to = Math.max(0, Math.min(QUALITY.length - 1, pacing.quality + step));
  if (step === 0 || to === pacing.quality) pacing.patience = 0;
  else if (++pacing.patience > (step > 0 ? 5 : 90)) {
    pacing.quality = to;
    pacing.patience = 0;
    pacing.slowness = (SLOW + QUICK) / 2;
  }
}

export function endPacing(pacing: Pacing): void {
  cancelAnimationFrame(pacing.scheduled);
  clearTimeout(pacing.resting);
}

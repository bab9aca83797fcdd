/** What fields of a scene are if they are left out, and how large a scene may be. The material has its own in materials.ts. */

/** Time step (s) of each solver. */
const H: { readonly accurate: number; readonly interactive: number; readonly paper: number } = {
  accurate: 1 / 240,
  interactive: 1 / 60,
  paper: 1e-3,
};

/** Integrator of each solver: what the solves of an interactive step leave open, BDF2 carries on; the paper and other methods that project step by Euler. */
const INTEGRATOR: { readonly [solver in keyof typeof H]: "euler" | "bdf2" } = {
  accurate: "bdf2",
  interactive: "euler",
  paper: "euler",
};

/** What fields are if they are left out; h and the integrator depend on the solver. */
export const DEFAULTS = {
  seed: 1,
  seconds: 4,
  h: H as typeof H,
  solver: "accurate",
  integrator: INTEGRATOR as typeof INTEGRATOR,
  stuck: "hold",
  sleep: true,
  constraint: "frames",
  method: "isometry",
  tolerance: 0.01,
  young: 1e6,
  thickness: 1e-3,
  diagonalStiffness: 1,
  geometricStiffness: true,
  shift: 1e-8,
  maxRounds: 50,
  slack: true,
  everyStep: true,
  projectedBending: "edges",
  forceTolerance: 1e-6,
  maxIterations: 1000,
  gravity: 9.81,
  points: 662,
  rings: 1,
  friction: 0.3,
  slipSpeed: 5e-3,
  rate: 30,
  checkpoint: 1,
  fov: 35,
  substratePoisson: 0.45,
  substrateDensity: 1000,
  vertexRate: 24,
} as const;

/** Points of all sheets together. More would not fit into one memory with their factorisation. */
export const MOST_POINTS = 1_000_000;
export const FEWEST_POINTS = 4;

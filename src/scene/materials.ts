/**
 * Named materials, and the rule for the default membrane stiffness. Where their numbers come from: material-sources.ts.
 *
 * Measured fabrics and papers scatter by a factor of two or more between specimens, directions and humidities; a preset
 * is one plausible specimen, not a standard. D is in N·m (1 gf·cm²/cm of a Kawabata bending tester is 9.81e-5 N·m).
 * Where a source gives Young's modulus, D = E t³ / (12 (1 − ν²)) and K_m = E·t in N/m.
 *
 * Fabrics have no K_m of their own. Laboratories measure 200 to 2000 N/m along the yarns of wovens under small loads, because
 * yarns straighten first, and 20 to 100 N/m in shear (Wang et al. 2011; KES). This program takes a fabric as inextensible, as the paper
 * does, so its membrane is the default below and not a measured one.
 */

export interface MaterialPreset {
  readonly name: string;
  /** What one would buy. */
  readonly what: string;
  /** kg/m² */
  readonly density: number;
  /** Flexural rigidity, N·m. */
  readonly D: number;
  readonly poisson: number;
  /** K_m = E·t, N/m; null: the default of sheets that are taken as inextensible. */
  readonly membraneStiffness: number | null;
  /** m */
  readonly thickness: number;
}

export const presets: readonly MaterialPreset[] = [
  {
    name: "paper",
    what: "copy paper, 80 g/m², 0.1 mm",
    density: 0.08,
    D: plateRigidity(5e9, 1e-4, 0.3),
    poisson: 0.3,
    membraneStiffness: 5e9 * 1e-4,
    thickness: 1e-4,
  },
  {
    name: "silk",
    what: "plain-weave silk, 14 momme (60 g/m²), 0.15 mm",
    density: 0.06,
    D: 4e-6,
    poisson: 0.3,
    membraneStiffness: null,
    thickness: 1.5e-4,
  },
  {
    name: "cotton",
    what: "cotton shirting, 120 g/m², 0.3 mm",
    density: 0.12,
    D: 1e-5,
    poisson: 0.3,
    membraneStiffness: null,
    thickness: 3e-4,
  },
  {
    name: "denim",
    what: "11 oz black denim (99 % cotton), 324 g/m², 0.8 mm",
    density: 0.324,
    D: 2e-5,
    poisson: 0.3,
    membraneStiffness: null,
    thickness: 8e-4,
  },
  {
    name: "leather",
    what: "soft upper leather, 1.2 mm",
    density: 1.0,
    D: plateRigidity(3e7, 1.2e-3, 0.4),
    poisson: 0.4,
    membraneStiffness: 3e7 * 1.2e-3,
    thickness: 1.2e-3,
  },
  {
    name: "film",
    what: "PET film, 50 µm",
    density: 0.0695,
    D: plateRigidity(5e9, 5e-5, 0.38),
    poisson: 0.38,
    membraneStiffness: 5e9 * 5e-5,
    thickness: 5e-5,
  },
  {
    name: "rubberised-fabric",
    what: "rubber-coated woven fabric, 0.9 kg/m², 0.8 mm",
    density: 0.9,
    D: 1e-3,
    poisson: 0.4,
    membraneStiffness: 2e5,
    thickness: 8e-4,
  },
  {
    name: "skin",
    what: "human skin of the forearm, 1.2 mm",
    density: 1.3,
    D: plateRigidity(4.2e5, 1.2e-3, 0.48),
    poisson: 0.48,
    membraneStiffness: 4.2e5 * 1.2e-3,
    thickness: 1.2e-3,
  },
];

/** What a sheet is made of if its scene does not say. */
export const DEFAULT_MATERIAL = {
  density: 0.2,
  D: 1e-4,
  poisson: 0.3,
  thickness: 1e-3,
  damping: 0,
} as const;

/** D = E t³ / (12 (1 − ν²)), N·m. */
export function plateRigidity(young: number, thickness: number, poisson: number): number {
  return (young * thickness * thickness * thickness) / (12 * (1 - poisson * poisson));
}

/**
 * The length c = (D/σg)^⅓ (m) on which a sheet bends under its own weight on Earth, which textile laboratories measure
 * (ASTM D1388): half of what sticks out level when the end hangs at 41.5°. Fabrics have 12 to 28 mm.
 *
 * @example
 * bendingLength({ D: 1e-5, density: 0.12 }); // 0.0204
 */
export function bendingLength({ D, density }: { D: number; density: number }): number {
  return Math.cbrt(D / (density * EARTH));
}

/** m/s² */
export const EARTH = 9.81;

/**
 * The membrane of sheets that are taken as inextensible, whose material names no K_m:
 *
 *   K_m = max(least, perLoad · σ g L)        N/m
 *
 * so that a sheet that hangs by one edge is stretched by 2·10⁻⁴ at most, and a strip of 30 × 10 cm that stands on edge, clamped at one end, sags by 0.06 % of
 * its length (`least` alone decides that). A heavier or longer strip of that form sags by 15/perLoad = 0.3 %. Shapes do not depend on more
 * (decision 0010) but cost does: four times the stiffness takes twice the inner iterations (docs/decisions/measure/membrane.mjs). `least` is of light woven cloth whose yarns are straight; small
 * sheets, which gravity hardly loads, would otherwise shorten instead of wrinkling.
 */
const DEFAULT_MEMBRANE = { least: 1e4, perLoad: 5e3 } as const;

/**
 * K_m (N/m) of a sheet whose material does not say. Without gravity other loads pull, so g counts as Earth's at least.
 *
 * @param density kg/m², what hangs on the sheet spread over it
 * @param gravity m/s², its magnitude
 * @param extent  m, the largest extent L
 */
export function defaultMembraneStiffness(density: number, gravity: number, extent: number): number {
  const { least, perLoad } = DEFAULT_MEMBRANE;
  return Math.max(least, perLoad * density * Math.max(gravity, EARTH) * extent);
}

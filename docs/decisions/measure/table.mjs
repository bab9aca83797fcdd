/** Prints rows of values under their names, in columns. */
export function table(names, rows) {
  const cells = [names, ...rows.map((row) => row.map(String))];
  const widths = names.map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  for (const row of cells) console.log(row.map((cell, c) => cell.padEnd(widths[c])).join("  "));
}

export const percent = (x, digits = 3) => `${(100 * x).toFixed(digits)} %`;

/** Distance of the mean of the right edge from (reach, -drop)·L, over L. */
export function tipError(simulation, L, { reach, drop }) {
  const { right } = simulation.sheet.parts[0].edges;
  let [x, z] = [0, 0];
  for (const i of right) {
    x += simulation.Y[3 * i] / right.length;
    z += simulation.Y[3 * i + 2] / right.length;
  }
  return Math.hypot(x / L - reach, z / L + drop);
}

/** A strip clamped level at its left edge; Γ = σgL³/D, and where the tip of the elastica is (references, G2). */
export const ELASTICA = { 20: { reach: 0.44523, drop: 0.82988 } };
export function cantilever(gamma, sampling, change = {}) {
  const [L, density] = [0.3, 0.15];
  return {
    static: true,
    gravity: 9.81,
    sheet: {
      shape: { type: "rectangle", width: L, height: 0.1 },
      sampling,
      material: { density, D: (density * 9.81 * L ** 3) / gamma, poisson: 0 },
    },
    pins: [{ at: { edge: "left" }, kind: "clamp" }],
    ...change,
  };
}

/** A square metre that hangs by two opposite corners, small enough to be measured in seconds. */
export function hung(change = {}, D = 1e-4, points = 331) {
  const pins = ["bottom-left", "top-right"].map((corner) => ({ at: { corner, radius: 0.05 } }));
  return {
    gravity: 9.81,
    air: { drag: 2 },
    sheet: {
      shape: { type: "rectangle", width: 1, height: 1 },
      sampling: { points },
      material: { density: 0.2, D },
    },
    pins,
    ...change,
  };
}

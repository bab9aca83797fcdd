/** Prints rows of values under their names, in columns. */
export function table(names, rows) {
  const cells = [names, ...rows.map((row) => row.map(String))];
  const widths = names.map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  for (const row of cells) console.log(row.map((cell, c) => cell.padEnd(widths[c])).join("  "));
}

export const percent = (x, digits = 3) => `${(100 * x).toFixed(digits)} %`;

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

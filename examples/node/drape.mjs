/** A cloth on a pin that a program moves along a circle, and what the sheet does: node examples/node/drape.mjs */
import { createSimulation, edgeStrain, parseScene } from "isoplate";

const simulation = createSimulation(
  parseScene({
    sheet: {
      shape: { type: "rectangle", width: 0.5, height: 0.5 },
      sampling: { points: 300 },
      material: "cotton",
    },
    pins: [{ name: "hand", at: { corner: "top-left" } }],
  }),
);
const [point] = simulation.pinPoints("hand");
const start = [...simulation.Y.subarray(3 * point, 3 * point + 3)];
const radius = 0.2; // m
const turn = 2; // s

while (simulation.time < 2) {
  // where the hand is to be 1/60 s from now
  const angle = (2 * Math.PI * (simulation.time + 1 / 60)) / turn;
  const [x, y, z] = start;
  simulation.setPin("hand", [x + radius * Math.sin(angle), y, z + radius * (1 - Math.cos(angle))]);
  for (const end = simulation.time + 1 / 60 - 1e-9; simulation.time < end; ) simulation.step();
}
const { stretchMax } = edgeStrain(simulation.sheet, simulation.pose);
console.log(
  `after ${simulation.time.toFixed(2)} s: largest stretch ${(100 * stretchMax).toFixed(2)} %`,
);

import { describe, expect, test } from "vitest";
import { edgeEdgeTime, pointTriangleTime, rounds } from "../../src/system/contact/ccd.ts";
import { edgeEdge, pointTriangle } from "../../src/system/contact/distance.ts";
import { exactCollision } from "../system/contact/exact-collision.ts";
import { randoms } from "../system/contact/random.ts";

const time = new Float64Array(1);
const d2 = new Float64Array(1);
const w = new Float64Array(4);
const x = new Float64Array(12);
const dx = new Float64Array(12);
const there = new Float64Array(12);

describe("safe times, a million times", () => {
  test("10⁶ pairs that are known to collide at a known time are all stopped before it, and none touches on the way", () => {
    // Collisions by construction, without rounding: at time t* the contact point is the same on both features (corners are multiples of 2⁻¹²,
    // weights of 2⁻⁸), velocities are multiples of 2⁻¹⁴ and t* of 2⁻⁶, so that x = x* − t*·v is exact in doubles.
    const random = randoms(2024);
    const whole = (bits: number) => Math.floor(random() * 2 ** bits);
    let started = 0;
    let total = 0;
    for (let trial = 0; trial < 1_000_000; trial++) {
      const edges = trial % 2 === 1;
      const family = (trial >> 1) % 8;
      const star = (1 + Math.floor((random() + 1) * 31.99)) / 64;
      for (let m = 0; m < 12; m++) there[m] = whole(12) / 2 ** 12;
      const speed = family === 1 ? 2 ** 6 : family === 2 ? 2 ** -6 : 1;
      for (let m = 0; m < 12; m++) dx[m] = (whole(8) / 2 ** 8) * speed;
      if (family === 3)
        for (let c = 0; c < 3; c++) there[9 + c] = there[6 + c] + whole(2) / 2 ** 12; // needle or short edge
      if (family === 4) for (let m = 2; m < 12; m += 3) dx[m] = whole(2) / 2 ** 14; // grazing: hardly any motion along z …
      if (family === 4) for (let m = 2; m < 12; m += 3) there[m] = whole(2) / 2 ** 12; // … of nearly flat features
      if (family === 5) for (let c = 0; c < 3; c++) there[9 + c] = there[6 + c]; // no length at all
      if (family === 6)
        for (let c = 0; c < 3; c++)
          there[9 + c] = there[6 + c] + there[3 + c] - there[c] + whole(1) / 2 ** 12; // parallel
      // weights of the contact point; family 7 puts it on borders and corners
      const weight = () =>
        family === 7 && random() < 0 ? (random() < 0 ? 0 : 256) : Math.floor((random() + 1) * 128);
      if (edges) {
        const [s, t] = [weight(), weight()];
        // moves the second edge so that both meet
        for (let c = 0; c < 3; c++) {
          const gap =
            ((256 - s) * there[c] +
              s * there[3 + c] -
              ((256 - t) * there[6 + c] + t * there[9 + c])) /
            256;
          there[6 + c] += gap;
          there[9 + c] += gap;
        }
      } else {
        const b = weight();
        const c = Math.floor(((256 - b) * (random() + 1)) / 2);
        for (let k = 0; k < 3; k++)
          there[k] = ((256 - b - c) * there[3 + k] + b * there[6 + k] + c * there[9 + k]) / 256;
      }
      for (let m = 0; m < 12; m++) x[m] = there[m] - star * dx[m];

      if (edges) edgeEdge(d2, w, 0, x, 0, 1, 2, 3);
      else pointTriangle(d2, w, 0, x, 0, 1, 2, 3);
      const first = Math.sqrt(d2[0]);
      if (edges) edgeEdgeTime(time, 0, x, dx, 0, 1, 2, 3, 0, Number.POSITIVE_INFINITY, 1);
      else pointTriangleTime(time, 0, x, dx, 0, 1, 2, 3, 0, Number.POSITIVE_INFINITY, 1);
      const t = time[0];
      total += rounds[0];
      if (!(t < star)) throw new Error(`trial ${trial}: said ${t}, collides at ${star}`);
      if (first < 1e-12) continue;
      started++;
      if (!(t > 0)) throw new Error(`trial ${trial}: ${first} apart, but may not move`);
      for (let m = 0; m < 12; m++) there[m] = x[m] + t * dx[m];
      if (edges) edgeEdge(d2, w, 0, there, 0, 1, 2, 3);
      else pointTriangle(d2, w, 0, there, 0, 1, 2, 3);
      if (!(Math.sqrt(d2[0]) >= 0.1 * first - 1e-13))
        throw new Error(`trial ${trial}: ${d2[0]} left`);
    }
    expect(started).toBeGreaterThan(900_000);
    expect(total / 1e6).toBeLessThan(10); // rounds in the mean: 5.1 when written
  });

  test("10 000 pairs on a coarse lattice: wherever exact arithmetic proves a collision, the safe time ends before it", () => {
    const random = randoms(77);
    let yes = 0;
    let no = 0;
    for (let trial = 0; trial < 10_000; trial++) {
      const kind = trial % 2 === 0 ? "pointTriangle" : "edgeEdge";
      for (let m = 0; m < 12; m++) {
        x[m] = Math.round(random() * 6);
        dx[m] = Math.round(random() * 12);
      }
      const verdict = exactCollision(kind, x, dx);
      const f = kind === "pointTriangle" ? pointTriangleTime : edgeEdgeTime;
      f(time, 0, x, dx, 0, 1, 2, 3, 0, 1e-6, 1);
      if (verdict.answer === "yes") {
        yes++;
        if (!(time[0] < verdict.before))
          throw new Error(`trial ${trial}: said ${time[0]}, collides before ${verdict.before}`);
      } else if (verdict.answer === "no") {
        no++;
        // nothing to hit: all the way, unless it passes within the ten-millionth that reach asks for
        if (time[0] < 1) throw new Error(`trial ${trial}: stopped at ${time[0]} for nothing`);
      }
    }
    expect(yes).toBeGreaterThan(1000);
    expect(no).toBeGreaterThan(5000);
  });
});

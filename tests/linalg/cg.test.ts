import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { conjugateGradients, type LinearMap, prepareCg } from "../../src/linalg/cg.ts";
import { analyse, prepareCholesky } from "../../src/linalg/cholesky.ts";
import { factor } from "../../src/linalg/cholesky-factor.ts";
import { solve } from "../../src/linalg/cholesky-solve.ts";
import { dot } from "../../src/linalg/vectors.ts";
import { multiplyBlocks } from "./products.ts";
import { definiteOn, random, twoRingGrid } from "./samples.ts";

const identity: LinearMap = (y, x) => y.set(x);
const diagonal =
  (entries: readonly number[]): LinearMap =>
  (y, x) => {
    for (let i = 0; i < x.length; i++) y[i] = entries[i] * x[i];
  };

function workspace(n: number) {
  return inOneMemory((memory) => prepareCg(memory, n)).value;
}

describe("conjugate gradients", () => {
  test("as many steps as there are different eigenvalues, whatever the size", () => {
    // The residual after k steps is the best polynomial of degree k on the spectrum: 3 eigenvalues, 3 steps.
    const entries = Array.from({ length: 60 }, (_, i) => [1, 4, 10][i % 3]);
    const next = random(1);
    const b = Float64Array.from(entries, () => next() - 0.5);
    const x = new Float64Array(60);
    const report = conjugateGradients(x, b, diagonal(entries), identity, workspace(60), {
      tolerance: 1e-12,
      maxIterations: 50,
    });
    expect(report).toMatchObject({ end: "converged", iterations: 3 });
    entries.forEach((a, i) => {
      expect(x[i]).toBeCloseTo(b[i] / a, 12);
    });
  });

  test("the exact inverse as preconditioner needs one step", () => {
    const { pattern } = twoRingGrid(10, 10, 2);
    const { value } = inOneMemory((memory) => {
      const A = definiteOn(memory, pattern, 2, 3);
      return { A, cholesky: prepareCholesky(memory, analyse(A, 2)) };
    });
    const { A, cholesky } = value;
    expect(factor(cholesky, A.values)).toBe(0);
    const next = random(4);
    const b = Float64Array.from({ length: 200 }, () => next() - 0.5);
    const x = new Float64Array(200);
    const inverse: LinearMap = (z, r) => {
      z.set(r);
      solve(cholesky, z);
    };
    const report = conjugateGradients(
      x,
      b,
      (y, v) => multiplyBlocks(y, A, v),
      inverse,
      workspace(200),
      { tolerance: 1e-10, maxIterations: 5 },
    );
    expect(report).toMatchObject({ end: "converged", iterations: 1 });
  });

  test("starting from the solution takes no step, from 0 with b = 0 neither", () => {
    const work = workspace(3);
    const apply = diagonal([1, 2, 3]);
    const x = Float64Array.of(1, 1, 1);
    const options = { tolerance: 1e-9, maxIterations: 9, warm: true };
    const b = Float64Array.of(1, 2, 3);
    expect(conjugateGradients(x, b, apply, identity, work, options)).toMatchObject({
      end: "converged",
      iterations: 0,
    });
    const zero = new Float64Array(3);
    const cold = { tolerance: 1e-9, maxIterations: 9 };
    expect(conjugateGradients(x, zero, apply, identity, work, cold)).toMatchObject({
      end: "converged",
      iterations: 0,
      residual: 0,
    });
    expect(x).toEqual(zero);
  });

  test("reports the limit of iterations and the residual it reached", () => {
    const entries = Array.from({ length: 30 }, (_, i) => 1 + i);
    const b = new Float64Array(30).fill(1);
    const x = new Float64Array(30);
    const report = conjugateGradients(x, b, diagonal(entries), identity, workspace(30), {
      tolerance: 1e-12,
      maxIterations: 4,
    });
    expect(report).toMatchObject({ end: "iterations", iterations: 4 });
    let square = 0;
    entries.forEach((a, i) => {
      square += (b[i] - a * x[i]) ** 2;
    });
    expect(report.residual).toBeCloseTo(Math.sqrt(square / 30), 12); // M = I: ‖r‖ / ‖b‖
  });

  test("negative curvature ends it with a direction of descent", () => {
    const apply = diagonal([2, -1, 1]);
    for (const b of [Float64Array.of(1, 0.1, 0.1), Float64Array.of(0.1, 1, 0)]) {
      const x = new Float64Array(3);
      const work = workspace(3);
      const report = conjugateGradients(x, b, apply, identity, work, {
        tolerance: 1e-9,
        maxIterations: 9,
      });
      expect(report.end).toBe("negative-curvature");
      expect(dot(b, x)).toBeGreaterThan(0); // along −∇ of ½xᵀAx − bᵀx at 0
      const Ap = new Float64Array(3);
      apply(Ap, work.p);
      expect(dot(work.p, Ap)).toBeLessThanOrEqual(0);
    }
  });

  test("a NaN in the matrix is reported, not iterated on", () => {
    const x = new Float64Array(2);
    const options = { tolerance: 1e-9, maxIterations: 9 };
    const b = Float64Array.of(1, 1);
    const apply = diagonal([Number.NaN, 1]);
    expect(conjugateGradients(x, b, apply, identity, workspace(2), options).end).toBe("not-finite");
  });
});

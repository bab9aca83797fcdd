import { describe, expect, test } from "vitest";
import type { ReadonlyF64 } from "../../src/linalg/arena.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import { createRandom } from "../../src/sheet/random.ts";
import { operations } from "../../src/step/minimise.ts";
import { createSolid, type Solid } from "../../src/substrate/solid.ts";
import {
  createSolidSystem,
  heldNodes,
  type SolidSystem,
} from "../../src/substrate/solid-solver.ts";
import { block, cylinder, type SolidMesh } from "../../src/substrate/tetrahedra.ts";
import { heap } from "../support.ts";
import { constants, held } from "./solids.ts";

const flesh = { young: 1e4, poisson: 0.45, density: 1000 };

function gradient(solid: Solid, x: ReadonlyF64): Float64Array {
  const g = new Float64Array(x.length);
  for (const set of solid.sets) {
    set.evaluate(x);
    operations.addTransposed(g, set, set.sigma);
  }
  return g;
}

/** The product with the second derivative as the solvers have it, after `gradient`. */
function product(solid: Solid, d: Float64Array): Float64Array {
  const y = new Float64Array(d.length);
  for (const set of solid.sets) operations.addNormalProduct(y, set, set.weight, d);
  return y;
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((s, x, k) => s + x * b[k], 0);
const largest = (a: Float64Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);

function noise(length: number, size: number, seed: number): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length }, () => size * (2 * random() - 1));
}

/** rest ↦ F rest + t */
function mapped(mesh: SolidMesh, F: number[][], t: Vec3 = [0, 0, 0]): Float64Array {
  return mesh.rest.map((_, k) => {
    const p = 3 * Math.floor(k / 3);
    return [0, 1, 2].reduce((s, c) => s + F[k % 3][c] * mesh.rest[p + c], t[k % 3]);
  });
}

describe.each([0.2, 0.45, 0.49])("the energy at ν = %s", (poisson) => {
  const mesh = block({ size: [1, 1, 1], cells: [2, 3, 2] });
  const solid = createSolid(heap, mesh, { ...flesh, young: 1, poisson });

  test("its gradient is its derivative, also where cells are inside out", () => {
    const x = mesh.rest.map((v, k) => v + noise(mesh.rest.length, 0.25, 1)[k]);
    const d = noise(x.length, 1, 2);
    const g = gradient(solid, x);
    const at = (t: number): number => solid.energy(x.map((v, k) => v + t * d[k]));
    const e = 1e-5; // the energy is of sixth order: error e² and 1e-16/e
    expect(dot(g, d)).toBeCloseTo((at(e) - at(-e)) / (2 * e), 7);
  });

  test("its second derivative is that of the gradient where it is positive, and never negative elsewhere", () => {
    const d = noise(mesh.rest.length, 1, 3);
    const near = mapped(mesh, [
      [1.01, 0.01, 0],
      [0, 1.005, 0.01],
      [0.01, 0, 1.01],
    ]);
    const e = 1e-6;
    const ahead = gradient(
      solid,
      near.map((v, k) => v + e * d[k]),
    );
    const behind = gradient(
      solid,
      near.map((v, k) => v - e * d[k]),
    );
    gradient(solid, near);
    const H = product(solid, d);
    const difference = H.map((v, k) => v - (ahead[k] - behind[k]) / (2 * e));
    expect(largest(difference)).toBeLessThan(1e-7 * largest(H));

    gradient(
      solid,
      mesh.rest.map((v, k) => v + noise(mesh.rest.length, 0.4, 5)[k]),
    );
    expect(dot(d, product(solid, d))).toBeGreaterThanOrEqual(0);
    for (const set of solid.sets) expect(Math.min(...set.weight)).toBeGreaterThanOrEqual(0);
  });

  test("rigid motions cost nothing and pull at nothing; forces of any shape add up to nothing", () => {
    const [c, s] = [Math.cos(1), Math.sin(1)];
    const turned = mapped(
      mesh,
      [
        [c, -s, 0],
        [s, c, 0],
        [0, 0, 1],
      ],
      [3, 1, 2],
    );
    expect(Math.abs(solid.energy(turned))).toBeLessThan(1e-14);
    expect(largest(gradient(solid, turned))).toBeLessThan(1e-14);
    const g = gradient(
      solid,
      mesh.rest.map((v, k) => v + noise(mesh.rest.length, 0.2, 7)[k]),
    );
    for (let e = 0; e < 3; e++)
      expect(Math.abs(g.reduce((sum, v, k) => (k % 3 === e ? sum + v : sum), 0))).toBeLessThan(
        1e-14,
      );
  });

  test("an affine map has the closed energy and no force inside: the patch test", () => {
    const F = [
      [1.1, 0.2, 0],
      [0.05, 0.9, 0.1],
      [0, 0.1, 1.2],
    ];
    const x = mapped(mesh, F);
    const { mu, lambda } = constants(1, poisson);
    const square = F.flat().reduce((t, v) => t + v * v, 0);
    const J =
      F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) -
      F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
      F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
    expect(solid.energy(x)).toBeCloseTo(
      (mu / 2) * (square - 3) - mu * (J - 1) + (lambda / 2) * (J - 1) ** 2,
      12,
    );
    const g = gradient(solid, x);
    const onSurface = new Set(mesh.surface);
    for (let p = 0; p < mesh.n; p++)
      if (!onSurface.has(p))
        for (let e = 0; e < 3; e++) expect(Math.abs(g[3 * p + e])).toBeLessThan(1e-14);
  });
});

describe("equilibrium", () => {
  test("a patch with a prescribed affine boundary is affine inside", () => {
    const mesh = cylinder({ radius: 0.5, height: 0.5, cells: 3 });
    const F = [
      [0.9, 0.1, 0],
      [0, 1.05, 0.1],
      [0.1, 0, 1.1],
    ];
    const x = mapped(mesh, F);
    const solid = createSolidSystem(mesh, flesh, {
      held: [...mesh.faces.surface].map((p) => ({
        nodes: Int32Array.of(p),
        axes: { x: true, y: true, z: true },
        motion: {
          keys: [
            {
              time: 0,
              translate: [0, 1, 2].map((c) => x[3 * p + c] - mesh.rest[3 * p + c]) as Vec3,
              rotate: [0, 0, 0] as Vec3,
            },
          ],
          smooth: false,
          pivot: [0, 0, 0] as Vec3,
          spin: null,
        },
      })),
    });
    expect(solid.settle(0).converged).toBe(true);
    expect(largest(solid.x.map((v, k) => v - x[k]))).toBeLessThan(1e-9);
  });

  test.each([
    [0.3, 0.7],
    [0.45, 1.5],
    [0.499, 0.7],
  ])(
    "a bar of ν = %s pulled to %s times its length has the force of the closed form",
    (poisson, l) => {
      // free sides: μ(1 − l) + λ(q²l − 1) l = 0 gives the lateral stretch q
      const { mu, lambda } = constants(1e3, poisson);
      const q2 = (1 - (mu * (1 - l)) / (lambda * l)) / l;
      const P = mu * l - mu * q2 + lambda * (q2 * l - 1) * q2;
      const mesh = block({ size: [1, 1, 1], cells: [2, 2, 2] });
      const bar = createSolidSystem(
        mesh,
        { young: 1e3, poisson, density: 1 },
        {
          held: heldNodes(mesh, [
            held("bottom", "z"),
            held("top", "z", [0, 0, l - 1]),
            held("left", "x"),
            held("front", "y"),
          ]),
        },
      );
      bar.settle(0);
      expect(bar.force(mesh.faces.top)[2] / P).toBeCloseTo(1, 7);
      expect(bar.x[3 * mesh.faces.right[0]] + 0.5).toBeCloseTo(Math.sqrt(q2), 7);
    },
  );

  test("simple shear by γ takes the stress μγ, however large", () => {
    const { mu } = constants(1e3, 0.45);
    for (const gamma of [0.1, 1]) {
      // all faces held as in homogeneous shear; x = X + γZ
      const mesh = block({ size: [1, 1, 1], cells: [2, 2, 2] });
      const x = mapped(mesh, [
        [1, 0, gamma],
        [0, 1, 0],
        [0, 0, 1],
      ]);
      const solid = createSolid(heap, mesh, { young: 1e3, poisson: 0.45, density: 1 });
      const g = gradient(solid, x);
      const force = [...mesh.faces.top].reduce((sum, p) => sum + g[3 * p], 0);
      expect(force / (mu * gamma)).toBeCloseTo(1, 12);
    }
  });

  test.each([0.3, 0.49, 0.499])(
    "a half-space of ν = %s gives way to waves of pressure as the closed form says, better on finer cells: no locking",
    (poisson) => {
      // w = 2p/(Ēk) for p cos kx on a deep solid; bottom at 1.5 waves adds under 0.1 %
      const error = (cells: number): number => Math.abs(waveCompliance(cells, poisson) - 1);
      const [coarse, fine] = [error(6), error(12)];
      expect(coarse).toBeLessThan(0.12);
      expect(fine).toBeLessThan(0.05);
      expect(fine).toBeLessThan(coarse);
    },
  );

  test("Poisson's ratio of a half and more is refused with the reason", () => {
    const mesh = block({ size: [1, 1, 1], cells: [1, 1, 1] });
    for (const poisson of [0.5, 0.7])
      expect(() => createSolidSystem(mesh, { ...flesh, poisson })).toThrow(
        /poisson: got 0\.[57], needs less than 0\.5/,
      );
  });

  test("faces that are not there and empty boxes are told, with those there are", () => {
    const mesh = block({ size: [1, 1, 1], cells: [1, 1, 1] });
    const box = { ...held("thumb", "xyz"), min: [5, 5, 5] as Vec3, max: [6, 6, 6] as Vec3 };
    expect(() => heldNodes(mesh, [held("lid", "x"), box])).toThrow(
      /no face "lid"; there are back, bottom, front, left, right, surface, top.*\n.*no node of the solid lies in the box "thumb"/,
    );
  });
});

/** Displacement under a wave of pressure over that of a half-space, with so many cells to a wave. */
function waveCompliance(cells: number, poisson: number): number {
  const young = 1e5;
  const k = 2 * Math.PI;
  const mesh = block({ size: [1, 1 / cells, 1.5], cells: [cells, 1, cells], grading: 2 });
  const top = mesh.faces.top;
  const share = (p: number): number =>
    Math.abs(Math.abs(mesh.rest[3 * p]) - 0.5) < 1e-9 ? 0.5 : 1;
  const wave = (p: number): number => Math.cos(k * (mesh.rest[3 * p] + 0.5));
  const load = new Float64Array(3 * mesh.n);
  for (const p of top) load[3 * p + 2] = (share(p) * wave(p)) / (2 * cells * cells);
  const solid = createSolidSystem(
    mesh,
    { young, poisson, density: 1 },
    {
      held: heldNodes(mesh, [
        held("left", "x"),
        held("right", "x"),
        held("front", "y"),
        held("back", "y"),
        held("bottom", "z"),
      ]),
      load,
    },
  );
  solid.settle(0);
  let [seen, norm] = [0, 0];
  for (const p of top) {
    seen += share(p) * wave(p) * (solid.x[3 * p + 2] - mesh.rest[3 * p + 2]);
    norm += share(p) * wave(p) ** 2;
  }
  return ((seen / norm) * ((young / (1 - poisson ** 2)) * k)) / 2;
}

describe("motion", () => {
  test("a solid that nothing holds falls as a point does, and keeps its momentum without weight", () => {
    const mesh = block({ size: [0.1, 0.1, 0.1], cells: [2, 2, 2] });
    const h = 0.01;
    const falling = createSolidSystem(mesh, flesh, { gravity: [0, 0, -9.81] });
    for (let s = 1; s <= 10; s++) falling.step(s * h, h);
    // implicit Euler falls by g h² s(s+1)/2
    const drop = mesh.rest[2] - falling.x[2];
    expect(drop).toBeCloseTo(9.81 * h * h * 55, 9);

    const free = createSolidSystem(mesh, flesh);
    free.v.set(noise(3 * mesh.n, 1, 4));
    const before = momentum(free);
    for (let s = 1; s <= 5; s++) free.step(s * h, h);
    const after = momentum(free);
    for (let c = 0; c < 3; c++) expect(after[c]).toBeCloseTo(before[c], 9);
    expect(free.energy().kinetic + free.energy().elastic).toBeLessThan(0.5);
  });

  test("a bar of ν = 0 held at one end rings at √(E/ρ)/4L", () => {
    const [L, young, density] = [1, 1e4, 1000];
    const mesh = block({ size: [0.05, 0.05, L], cells: [1, 1, 20] });
    const bar = createSolidSystem(
      mesh,
      { young, poisson: 0, density },
      {
        held: heldNodes(mesh, [held("bottom", "xyz")]),
      },
    );
    for (let p = 0; p < mesh.n; p++)
      bar.x[3 * p + 2] += 1e-3 * Math.sin((Math.PI / 2) * (mesh.rest[3 * p + 2] + 0.5));
    const period = (4 * L) / Math.sqrt(young / density);
    const h = period / 400;
    const tip = 3 * mesh.faces.top[0] + 2;
    // the tip passes its rest height at a quarter and at three quarters
    const crossings: number[] = [];
    for (let s = 1, last = 1; s <= 400; s++) {
      bar.step(s * h, h);
      const now = bar.x[tip] - L / 2;
      if (now * last < 0) crossings.push(s - now / (now - last));
      last = now;
    }
    expect(((crossings[1] - crossings[0]) * 2) / 400).toBeCloseTo(1, 2);
  });
});

function momentum({ v, solid }: SolidSystem): number[] {
  return [0, 1, 2].map((c) => solid.m.reduce((s, m, p) => s + m * v[3 * p + c], 0));
}

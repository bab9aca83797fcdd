/**
 * Small scenes that once froze, let things pass through each other, or were reported as solved when they were not. The check of intersections shares
 * no code with contact.
 */
import { describe, expect, test } from "vitest";
import { edgeStrain } from "../../src/recording/measures.ts";
import type { SceneInput } from "../../src/scene/input.ts";
import { libraryScene } from "../../src/scene/library.ts";
import { colliderAt, createRigid } from "../../src/scene/motion.ts";
import { parseScene, type Vec3 } from "../../src/scene/scene.ts";
import type { ReadMesh } from "../../src/sheet/kinematics.ts";
import { createSimulation, type Simulation } from "../../src/simulation.ts";
import { SimulationError } from "../../src/step/outcome.ts";
import { intersections, selfIntersections } from "../../src/system/contact/intersections.ts";
import { placedMesh, signedDistance } from "../../src/verify/bodies.ts";
import { crossings as exactPairs, selfCrossings } from "../../src/verify/exact.ts";
import { boxMesh, channelMesh, joined, openBox } from "../system/contact/meshes.ts";

const cloth = { density: 0.2, D: 1e-4, thickness: 1e-3 };
type Mesh = ReturnType<ReadMesh>;

function start(input: SceneInput, mesh?: Mesh): Simulation {
  return createSimulation(parseScene(input), mesh ? { readMesh: () => mesh } : {});
}

/** Pairs of triangles that intersect: of the sheets, and of the sheets with the mesh of the first collider. */
function crossings({ sheet, Y, scene, bodyTime }: Simulation, mesh?: Mesh): number {
  const surface = { Y, triangles: sheet.triangles };
  let count = selfIntersections(surface).length / 2;
  if (!mesh) return count;
  const pose = createRigid();
  colliderAt(pose, scene.colliders[0], bodyTime(0));
  const placed = Float64Array.from(mesh.positions, (_, k) => {
    const [i, c] = [3 * Math.floor(k / 3), k % 3];
    const [x, y, z] = [mesh.positions[i], mesh.positions[i + 1], mesh.positions[i + 2]];
    return pose[3 * c] * x + pose[3 * c + 1] * y + pose[3 * c + 2] * z + pose[9 + c];
  });
  count += intersections(surface, { Y: placed, triangles: mesh.triangles }).length / 2;
  return count;
}

/** The same of the sheet and the first collider by the check of `isoplate verify`, which shares no code with contact. */
function exactCrossings({ sheet, Y, scene, bodyTime }: Simulation, mesh: Mesh): number {
  const surface = { positions: Y.slice(0, 3 * sheet.n), triangles: sheet.triangles };
  const placed = placedMesh(scene.colliders[0], mesh, bodyTime(0));
  return selfCrossings(surface).length + exactPairs(surface, placed).length;
}

/** Runs to a time and gives the steps that were not solved. */
function run(simulation: Simulation, seconds: number, each?: () => void): number {
  let unsolved = 0;
  while (simulation.time < seconds - 1e-9) {
    if (!simulation.step().converged) unsolved++;
    each?.();
  }
  return unsolved;
}

describe("a tablecloth", () => {
  test.each([
    ["a sharp", { type: "cylinder", radius: 0.5, length: 0.75 }],
    ["a rounded", { type: "cylinder", radius: 0.5, length: 0.75, rounding: 0.01 }],
  ] as [string, NonNullable<SceneInput["colliders"]>[number]["body"]][])(
    "on %s table falls over the rim into folds, without a step unsolved",
    (_, body) => {
      const simulation = start({
        sheet: {
          shape: { type: "disc", radius: 0.8 },
          sampling: { points: 250 },
          pose: { position: [0, 0, 0.76] },
          material: "cotton",
        },
        contact: { self: true },
        colliders: [{ name: "table", body, position: [0, 0, 0.375], friction: 0.4 }],
      });
      const unsolved = run(simulation, 0.4);
      expect(unsolved).toBeLessThanOrEqual(1); // of 96
      expect(crossings(simulation)).toBe(0);
      expect(simulation.contact().penetration).toBe(0);
      const lowest = simulation.Y.filter((_, k) => k % 3 === 2).reduce((a, b) => Math.min(a, b));
      expect(lowest).toBeLessThan(0.55); // it hung at 0.75 before
    },
  );
});

const constraints = ["frames"] as const;

describe.each(constraints)("a pin that is pulled through a held sheet (%s)", (constraint) => {
  const square = (name: string, width: number, points: number, position: Vec3) => ({
    name,
    shape: { type: "rectangle", width, height: width } as const,
    sampling: { points },
    pose: { position },
    material: cloth,
  });
  const scene: SceneInput = {
    constraint,
    contact: { self: true },
    sheets: [
      square("wall", 0.2, 50, [-0.1, -0.1, 0]),
      square("hammer", 0.1, 25, [-0.05, -0.05, 0.02]),
      square("bystander", 0.1, 25, [2, 2, 5]),
    ],
    pins: [
      { at: { sheet: "wall", edges: ["left", "right"] } },
      {
        name: "hand",
        at: { sheet: "hammer", nearest: [0.05, 0.05], radius: 0.02 },
        motion: [{ time: 0.2, translate: [0, 0, -0.2] }],
      },
    ],
  };

  test("is held back and named; a sheet far away falls as if it were alone", () => {
    const simulation = start(scene);
    run(simulation, 0.25, () => expect(crossings(simulation)).toBe(0));
    expect(simulation.heldBack()).toEqual(["hand"]);
    const told = simulation.warnings.filter(({ text }) => /pin hand cannot go on.*wall/.test(text));
    expect(told).toHaveLength(1);
    expect(told[0].cause).toBe("stuck");
    expect(edgeStrain(simulation.sheet, simulation.Y).stretchMax).toBeLessThan(0.02);
    const alone = start({ constraint, sheets: [scene.sheets![2]] });
    run(alone, 0.25);
    const { firstPoint, points } = simulation.sheet.parts[2];
    const height = ({ Y }: Simulation, first: number) => {
      let sum = 0;
      for (let i = first; i < first + points; i++) sum += Y[3 * i + 2] / points;
      return sum;
    };
    expect(Math.abs(height(simulation, firstPoint) - height(alone, 0))).toBeLessThan(1e-3);
  });

  test("stops the run where the scene wants that", () => {
    const simulation = start({ ...scene, stuck: "stop" });
    expect(() => run(simulation, 0.25)).toThrow(SimulationError);
    expect(() => run(simulation, 0.25)).toThrow(/pin hand cannot go on/);
  });
});

describe("mesh bodies", () => {
  const sheet = {
    shape: { type: "rectangle", width: 0.5, height: 0.5 },
    sampling: { points: 120 },
    pose: { position: [-0.25, -0.25, 0.18] as Vec3 },
    material: cloth,
  } as const;
  const meshes: Record<string, Mesh> = {
    convex: boxMesh(0.2, 0.2, 0.2),
    concave: channelMesh(0.24, 0.2, 0.12, 0.05),
    open: openBox(0.2, 0.2, 0.14),
    overlapping: joined(boxMesh(0.3, 0.05, 0.05), boxMesh(0.05, 0.3, 0.06)),
  };
  const spins: [number, Vec3][] = [
    [60, [0, 1, 0]],
    [180, [1, 1, 0]],
    [360, [0, 0, 1]],
    [540, [0.3, 1, 0]],
    [720, [1, 0.2, 0.4]],
  ];

  test.each(Object.keys(meshes).flatMap((kind) => spins.map((spin) => [kind, ...spin] as const)))(
    "a mesh (%s) that turns by %d° a second about %j never cuts the sheet on it",
    (kind, rate, axis) => {
      const mesh = meshes[kind];
      const simulation = start(
        {
          sheet,
          contact: { self: true },
          colliders: [
            {
              body: { type: "mesh", file: "body.obj" },
              friction: 0.4,
              motion: { spin: { axis, rate } },
            },
          ],
        },
        mesh,
      );
      let contacts = 0;
      const unsolved = run(simulation, 0.3, () => {
        expect(exactCrossings(simulation, mesh)).toBe(0);
        contacts = Math.max(contacts, simulation.contact().contacts);
      });
      expect(unsolved).toBe(0);
      expect(simulation.heldBack()).toEqual([]);
      expect(contacts).toBeGreaterThan(0); // else nothing was tried
    },
  );

  test("two boxes that overlap in one mesh hold a sheet", () => {
    const cross = meshes.overlapping;
    const simulation = start(
      {
        sheet: { ...sheet, pose: { position: [-0.25, -0.25, 0.05] } },
        contact: { self: true },
        colliders: [{ body: { type: "mesh", file: "cross.obj" }, friction: 0.4 }],
      },
      cross,
    );
    expect(run(simulation, 0.3, () => expect(crossings(simulation, cross)).toBe(0))).toBe(0);
    const highest = simulation.Y.filter((_, k) => k % 3 === 2).reduce((x, y) => Math.max(x, y));
    expect(highest).toBeGreaterThan(0.025);
  });
});

describe("round bodies", () => {
  /** m: how deep any place of any triangle is in the first collider, by distances that contact does not use. */
  function deepest({ sheet: { triangles }, Y, scene, bodyTime }: Simulation): number {
    const [collider] = scene.colliders;
    const phi = signedDistance(collider.body as Parameters<typeof signedDistance>[0]);
    const R = createRigid();
    colliderAt(R, collider, bodyTime(0));
    const parts = 8;
    let depth = 0;
    const x = [0, 0, 0];
    for (let t = 0; t < triangles.length; t += 3)
      for (let a = 0; a <= parts; a++)
        for (let b = 0; a + b <= parts; b++) {
          const w = [a / parts, b / parts, 1 - (a + b) / parts];
          for (let c = 0; c < 3; c++) {
            x[c] = -R[9 + c];
            for (let k = 0; k < 3; k++) x[c] += w[k] * Y[3 * triangles[t + k] + c];
          }
          const [u, v, z] = [0, 1, 2].map((c) => R[c] * x[0] + R[3 + c] * x[1] + R[6 + c] * x[2]);
          depth = Math.max(depth, -phi(u, v, z));
        }
    return depth;
  }

  type Round = NonNullable<SceneInput["colliders"]>[number];
  test.each([
    [{ body: { type: "sphere", radius: 0.15 } }],
    [{ body: { type: "sphere", radius: 0.15 }, motion: { spin: { axis: [0, 0, 1], rate: 90 } } }],
    [{ body: { type: "capsule", radius: 0.13, length: 0.3 } }],
    [
      {
        body: { type: "cylinder", radius: 0.15, length: 0.4 },
        rotation: { axis: [1, 0, 0], angle: 90 },
      },
    ],
    [{ body: { type: "cone", radius: 0.2, length: 0.3 } }],
    [{ body: { type: "torus", major: 0.15, minor: 0.08 } }],
    [{ body: { type: "box", size: [0.3, 0.3, 0.3], rounding: 0.04 } }],
  ] as [Round][])("no triangle reaches into %j at any step", (collider) => {
    const simulation = start({
      constraint: "frames",
      sheet: {
        shape: { type: "rectangle", width: 0.5, height: 0.5 },
        sampling: { points: 100 },
        pose: { position: [-0.25, -0.22, 0.29] },
        material: cloth,
      },
      contact: { self: true },
      colliders: [{ friction: 0.3, ...collider }],
    });
    const unsolved = run(simulation, 0.3, () => expect(deepest(simulation)).toBeLessThan(1e-9));
    expect(unsolved).toBeLessThanOrEqual(1); // of 72
    expect(simulation.contact().penetration).toBe(0);
  });
});

describe("a sheet through the middle of a ball", () => {
  const scene: SceneInput = {
    sheet: {
      shape: { type: "rectangle", width: 0.4, height: 0.4 },
      sampling: { points: 150 },
      pose: { position: [-0.2, -0.2, 0] },
      material: cloth,
    },
    contact: { self: true },
    colliders: [{ name: "ball", body: { type: "sphere", radius: 0.1 }, friction: 0.3 }],
  };

  test("is moved out of it as a whole, says so, and drapes", () => {
    const simulation = start(scene);
    expect(simulation.warnings[0].text).toMatch(
      /starts inside ball: it was moved by \(0, 0, 0\.\d+\) m/,
    );
    expect(run(simulation, 0.2)).toBe(0);
    expect(simulation.contact().penetration).toBe(0);
  });

  test.each(constraints)("statics drape it on the ball, not through it (%s)", (constraint) => {
    const few = { ...scene.sheet!, sampling: { points: 60 } };
    const static_ = { forceTolerance: 1e-2 };
    const simulation = start({ ...scene, constraint, sheet: few, static: static_ });
    expect(simulation.step().converged).toBe(true);
    expect(simulation.contact().penetration).toBe(0);
    const highest = simulation.Y.filter((_, k) => k % 3 === 2).reduce((x, y) => Math.max(x, y));
    expect(highest).toBeGreaterThan(0.09); // on top of it, not beside it
  });
});

test.each(constraints)(
  "a pin that is torn far away ends its step within the budget, and the step says what is wrong (%s)",
  (constraint) => {
    const simulation = start({
      constraint,
      sheet: {
        shape: { type: "rectangle", width: 0.5, height: 0.5 },
        sampling: { points: 150 },
        material: cloth,
      },
      contact: { self: true },
      pins: [
        { at: { edge: "left" } },
        {
          name: "yank",
          at: { corner: "top-right" },
          motion: [
            { time: 0.02, translate: [0, 0, 0] },
            { time: 0.04, translate: [0.5, 0.5, 0.5] },
          ],
          release: 0.06,
        },
      ],
    });
    let [rounds, troubled] = [0, 0];
    while (simulation.time < 0.2) {
      const step = simulation.step();
      rounds = Math.max(rounds, step.rounds);
      if (!step.converged || step.outcome === "held-back") troubled++;
    }
    expect(rounds).toBeLessThanOrEqual(2000);
    expect(simulation.warnings.length > 0).toBe(troubled > 0);
    expect(edgeStrain(simulation.sheet, simulation.Y).stretchMax).toBeLessThan(0.02); // nothing is frozen
  },
);

test.each(["accurate", "interactive"] as const)(
  "%s: a tube that is crushed buckles, its plate arrives, and nothing is stretched by a fiftieth",
  (solver) => {
    const input = libraryScene("cylinder-coarse")!.input() as SceneInput;
    input.solver = solver;
    input.sheet!.sampling = { points: 250 };
    const simulation = start(input);
    let stretch = 0;
    run(simulation, 0.3, () => {
      stretch = Math.max(stretch, edgeStrain(simulation.sheet, simulation.pose).stretchMax);
    });
    expect(stretch).toBeLessThan(0.02);
    expect(simulation.heldBack()).toEqual([]);
    expect(crossings(simulation)).toBe(0);
  },
);

/**
 * Other engines that a web page can load, on our locking test: a square metre of cloth that hangs by two opposite
 * corners, on the same triangles, with the same masses, pins and air.
 *
 * Nobody's cloth is timed alone: an engine that lets the sheet stretch is fast. Each runs at several of its own settings
 * until the cloth hangs, and is judged by two numbers, seconds of work per simulated second and true strain of the edges
 * at the end; the one that is lower and further left in the plot is better. Bending is off where it can be: these
 * sheets are nearly limp, and the others' springs are in other units.
 *
 *   Jolt     XPBD, soft body with hard edges (compliance 0); also with its long-range attachments
 *   Bullet   position-based links of stiffness 1 (ammo.js)
 *   MuJoCo   flex with equality "vert", which is the paper's constraint at every point, and "true", which keeps the length of every edge; its
 *            Newton and CG solvers
 */
import "../src/methods.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { columns, machineLine } from "../src/bench/table.ts";
import { linePlot } from "../src/picture/plots.ts";
import { edgeStrain } from "../src/recording/measures.ts";
import { libraryScene } from "../src/scene/library.ts";
import { parseScene } from "../src/scene/scene.ts";
import type { Sheet } from "../src/sheet/kinematics.ts";
import { createSimulation } from "../src/simulation.ts";

export interface PeersOptions {
  /** Points along a side. */
  sides?: readonly number[];
  /** Simulated s. */
  simulated?: number;
  engines?: readonly string[];
  /** The folder of bench/, for the plot. */
  folder?: string;
  /** s of work after which an engine's slower settings are left out. */
  patience?: number;
}

export interface PeerRow {
  engine: string;
  setting: string;
  points: number;
  /** s of work per simulated s. */
  perSecond: number;
  edgeMean: number;
  edgeMax: number;
  /** m below the pins, of the lowest point: 0.71 is all that the sheet can give. */
  sag: number;
  /** m/s at the end, of the fastest point: whether it hangs or still moves. */
  speed: number;
}

/** What everybody gets. */
interface Task {
  sheet: Sheet;
  /** [3n] m */
  start: Float64Array;
  /** [n] */
  pinned: boolean[];
  gravity: number;
  /** 1/s: drag over mass. */
  damping: number;
  seconds: number;
}

interface Run {
  Y: Float64Array;
  speed: number;
  wallSeconds: number;
}

interface Setting {
  name: string;
  run(task: Task): Run | Promise<Run>;
}

export async function benchPeers(options: PeersOptions = {}): Promise<PeerRow[]> {
  const { sides = [25, 52], simulated = 3, folder = "bench", patience = 60 } = options;
  const engines: Record<string, () => Setting[] | Promise<Setting[]>> = {
    isoplate: ours,
    Jolt: jolt,
    Bullet: bullet,
    MuJoCo: mujoco,
  };
  const rows: PeerRow[] = [];
  for (const side of sides) {
    const task = pinnedSheet(side, simulated);
    for (const [engine, settingsOf] of Object.entries(engines)) {
      if (options.engines && !options.engines.includes(engine)) continue;
      for (const { name, run } of await settingsOf()) {
        let done: Awaited<ReturnType<typeof run>>;
        try {
          done = await run(task);
        } catch (error) {
          // one engine that does not run is no reason to lose what the others did, and is said
          console.error(`${engine}, ${name}: does not run: ${(error as Error).message}`);
          break;
        }
        const { mean, max } = edgeStrain(task.sheet, done.Y);
        rows.push({
          engine,
          setting: name,
          points: task.sheet.n,
          perSecond: done.wallSeconds / simulated,
          edgeMean: mean,
          edgeMax: max,
          sag: sagOf(task, done.Y),
          speed: done.speed,
        });
        if (done.wallSeconds > patience) break; // settings come in order of their cost
      }
    }
  }
  await plotRows(rows, folder);
  return rows;
}

function pinnedSheet(side: number, seconds: number): Task {
  const input = libraryScene("pinned-cloth")?.input();
  if (input?.sheet === undefined) throw new Error("the library has no pinned-cloth");
  const sampling = { type: "grid", points: side * side } as const;
  const scene = parseScene({ ...input, sheet: { ...input.sheet, sampling } });
  const simulation = createSimulation(scene);
  const { sheet, system } = simulation;
  const { drag } = scene.air;
  return {
    sheet,
    start: simulation.Y.slice(),
    pinned: Array.from({ length: sheet.n }, (_, i) => system.pins.fixed[3 * i] === 1),
    gravity: -scene.gravity[2],
    damping: drag / scene.sheets[0].material.density,
    seconds,
  };
}

function sagOf({ start, pinned }: Task, Y: Float64Array): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < pinned.length; i++) lowest = Math.min(lowest, Y[3 * i + 2]);
  return start[3 * pinned.indexOf(true) + 2] - lowest;
}

/** Steps of h over the task's time, timed as a whole. */
function timed({ seconds }: Task, h: number, step: () => void): number {
  const began = performance.now();
  for (let k = 0; k < Math.round(seconds / h); k++) step();
  return (performance.now() - began) / 1000;
}

// ours

function ours(): Setting[] {
  const setting = (solver: "interactive" | "accurate", rate: number): Setting => ({
    name: `${solver} 1/${rate}`,
    run(task) {
      const input = libraryScene("pinned-cloth")?.input();
      if (input?.sheet === undefined) throw new Error("the library has no pinned-cloth");
      const sampling = { type: "grid", points: task.sheet.n } as const;
      const scene = parseScene({
        ...input,
        solver,
        h: 1 / rate,
        sheet: { ...input.sheet, sampling },
      });
      const simulation = createSimulation(scene);
      const wallSeconds = timed(task, 1 / rate, () => simulation.step());
      return { Y: simulation.pose, speed: fastest(simulation.V), wallSeconds };
    },
  });
  return [setting("interactive", 60), setting("interactive", 120), setting("accurate", 240)];
}

function fastest(V: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < V.length; k += 3) most = Math.max(most, Math.hypot(V[k], V[k + 1], V[k + 2]));
  return most;
}

/** Speed of the fastest point from the positions of two steps. */
function moved(Y: Float64Array, before: Float64Array, h: number): number {
  return fastest(Y.map((y, k) => (y - before[k]) / h));
}

// Jolt

async function jolt(): Promise<Setting[]> {
  const { default: load } = await import("jolt-physics");
  const J = await load();
  const setting = (iterations: number, attached: boolean): Setting => ({
    name: `${iterations} iterations${attached ? ", attached" : ""}`,
    run(task) {
      const { sheet, start, pinned } = task;
      const settings = new J.JoltSettings();
      const layers = new J.ObjectLayerPairFilterTable(1);
      const broad = new J.BroadPhaseLayerInterfaceTable(1, 1);
      broad.MapObjectToBroadPhaseLayer(0, new J.BroadPhaseLayer(0));
      settings.mObjectLayerPairFilter = layers;
      settings.mBroadPhaseLayerInterface = broad;
      settings.mObjectVsBroadPhaseLayerFilter = new J.ObjectVsBroadPhaseLayerFilterTable(
        broad,
        1,
        layers,
        1,
      );
      const world = new J.JoltInterface(settings);
      const physics = world.GetPhysicsSystem();
      physics.SetGravity(new J.Vec3(0, 0, -task.gravity));

      const shared = new J.SoftBodySharedSettings();
      const vertex = new J.SoftBodySharedSettingsVertex();
      for (let i = 0; i < sheet.n; i++) {
        vertex.mPosition = new J.Float3(start[3 * i], start[3 * i + 1], start[3 * i + 2]);
        vertex.mInvMass = pinned[i] ? 0 : 1 / sheet.m[i];
        shared.mVertices.push_back(vertex);
      }
      for (let t = 0; t < sheet.triangles.length; t += 3) {
        const [a, b, c] = [sheet.triangles[t], sheet.triangles[t + 1], sheet.triangles[t + 2]];
        shared.AddFace(new J.SoftBodySharedSettingsFace(a, b, c, 0));
      }
      // the edges of the triangles, and no others
      for (let e = 0; e < sheet.edges.length; e += 2)
        shared.mEdgeConstraints.push_back(
          new J.SoftBodySharedSettingsEdge(sheet.edges[e], sheet.edges[e + 1], 0),
        );
      shared.CalculateEdgeLengths();
      if (attached) attach(J, shared, task);
      shared.Optimize();
      const body = new J.SoftBodyCreationSettings(
        shared,
        new J.RVec3(0, 0, 0),
        new J.Quat(0, 0, 0, 1),
        0,
      );
      body.mNumIterations = iterations;
      body.mLinearDamping = task.damping;
      body.mUpdatePosition = false;
      body.mAllowSleeping = false;
      const made = physics.GetBodyInterface().CreateSoftBody(body);
      physics.GetBodyInterface().AddBody(made.GetID(), J.EActivation_Activate);

      const h = 1 / 60;
      const wallSeconds = timed(task, h, () => world.Step(h, 1));
      const motion = J.castObject(made.GetMotionProperties(), J.SoftBodyMotionProperties);
      const Y = new Float64Array(3 * sheet.n);
      const V = new Float64Array(3 * sheet.n);
      for (let i = 0; i < sheet.n; i++) {
        const { mPosition: p, mVelocity: v } = motion.GetVertex(i);
        Y.set([p.GetX(), p.GetY(), p.GetZ()], 3 * i);
        V.set([v.GetX(), v.GetY(), v.GetZ()], 3 * i);
      }
      J.destroy(world);
      return { Y, speed: fastest(V), wallSeconds };
    },
  });
  const counts = [5, 20, 50, 100, 200, 400, 800];
  return [...counts.map((n) => setting(n, false)), ...[20, 100, 400].map((n) => setting(n, true))];
}

type JoltModule = Awaited<ReturnType<typeof import("jolt-physics")["default"]>>;

/** Long-range attachments: no point is further from its nearest pin than along the flat sheet. */
function attach(
  J: JoltModule,
  shared: InstanceType<JoltModule["SoftBodySharedSettings"]>,
  { start, pinned }: Task,
): void {
  const pins = pinned.flatMap((is, i) => (is ? [i] : []));
  const distance = (i: number, p: number): number =>
    Math.hypot(start[3 * i] - start[3 * p], start[3 * i + 1] - start[3 * p + 1]);
  for (let i = 0; i < pinned.length; i++) {
    if (pinned[i]) continue;
    for (const p of pins) {
      // one pin of each corner is enough
      if (pins.some((q) => q !== p && distance(p, q) < 0.2 && distance(i, q) < distance(i, p)))
        continue;
      shared.mLRAConstraints.push_back(new J.SoftBodySharedSettingsLRA(p, i, distance(i, p)));
    }
  }
}

// Bullet

async function bullet(): Promise<Setting[]> {
  const require = createRequire(import.meta.url);
  type Ammo = typeof import("ammojs-typed");
  const load = require("ammojs-typed/wasm") as (options: object) => Promise<Ammo>;
  const A = await load({ locateFile: () => require.resolve("ammojs-typed/ammo.wasm.wasm") });
  const setting = (rate: number, iterations: number): Setting => ({
    name: `1/${rate}, ${iterations} iterations`,
    run(task) {
      const { sheet, start, pinned } = task;
      const config = new A.btSoftBodyRigidBodyCollisionConfiguration();
      const dispatcher = new A.btCollisionDispatcher(config);
      const broad = new A.btDbvtBroadphase();
      const solver = new A.btSequentialImpulseConstraintSolver();
      const soft = new A.btDefaultSoftBodySolver();
      const world = new A.btSoftRigidDynamicsWorld(dispatcher, broad, solver, config, soft);
      const gravity = new A.btVector3(0, 0, -task.gravity);
      world.setGravity(gravity);
      world.getWorldInfo().set_m_gravity(gravity);
      const vertices = Array.from(start);
      const triangles = Array.from(sheet.triangles as Int32Array);
      const body = new A.btSoftBodyHelpers().CreateFromTriMesh(
        world.getWorldInfo(),
        vertices,
        triangles,
        triangles.length / 3,
        true,
      );
      const h = 1 / rate;
      const cfg = body.get_m_cfg();
      cfg.set_piterations(iterations);
      cfg.set_kDP(task.damping * h);
      body.get_m_materials().at(0).set_m_kLST(1);
      for (let i = 0; i < sheet.n; i++) body.setMass(i, pinned[i] ? 0 : sheet.m[i]);
      world.addSoftBody(body, 1, 0);
      body.setActivationState(4); // never sleeps
      const nodes = body.get_m_nodes();
      const read = (): Float64Array => {
        const Y = new Float64Array(3 * sheet.n);
        for (let i = 0; i < sheet.n; i++) {
          const x = nodes.at(i).get_m_x();
          Y.set([x.x(), x.y(), x.z()], 3 * i);
        }
        return Y;
      };
      const wallSeconds = timed(task, h, () => world.stepSimulation(h, 0));
      const before = read();
      world.stepSimulation(h, 0);
      const Y = read();
      world.removeSoftBody(body);
      for (const part of [world, soft, solver, broad, dispatcher, config]) A.destroy(part);
      return { Y, speed: moved(Y, before, h), wallSeconds };
    },
  });
  return [
    ...[5, 20, 50, 100, 200, 400].map((n) => setting(60, n)),
    ...[10, 50, 200].map((n) => setting(240, n)),
  ];
}

// MuJoCo

async function mujoco(): Promise<Setting[]> {
  const { default: load } = await import("@mujoco/mujoco");
  const M = await load();
  const setting = (
    equality: "vert" | "true",
    solver: "CG" | "Newton",
    rate: number,
    iterations: number,
  ): Setting => ({
    name: `${equality === "vert" ? "points" : "edges"}, ${solver} 1/${rate}, ${iterations} iterations`,
    run(task) {
      const xml = clothXml(task, { equality, solver, rate, iterations });
      const model = M.MjModel.from_xml_string(xml);
      const data = new M.MjData(model);
      // air drag, on every degree of freedom of every point
      const free = task.pinned.flatMap((is, i) => (is ? [] : [i]));
      const damping = model.dof_damping as Float64Array;
      for (const [k, i] of free.entries())
        damping.fill(task.damping * task.sheet.m[i], 3 * k, 3 * k + 3);
      const wallSeconds = timed(task, 1 / rate, () => M.mj_step(model, data));
      M.mj_forward(model, data);
      const Y = Float64Array.from(data.flexvert_xpos as Float64Array);
      const run = { Y, speed: fastest(data.qvel as Float64Array), wallSeconds };
      data.delete();
      model.delete();
      return run;
    },
  });
  return [
    setting("true", "CG", 240, 50),
    setting("true", "CG", 500, 50),
    setting("true", "CG", 1000, 100),
    setting("true", "Newton", 500, 5),
    setting("vert", "CG", 240, 50),
    setting("vert", "CG", 500, 50),
    setting("vert", "Newton", 500, 5),
    setting("vert", "CG", 1000, 100),
  ];
}

/**
 * A cloth of direct points and elements. From the flat start, where "vert" has no gradient out of the plane, none of its settings that we tried
 * held (steps of 1/240 to 1/1000 s, time constants of 2 to 50 ms, with and without bending, all integrators); edges do.
 */
function clothXml(
  { sheet, start, pinned, gravity }: Task,
  {
    equality,
    solver,
    rate,
    iterations,
  }: { equality: string; solver: string; rate: number; iterations: number },
): string {
  const mass = sheet.m as Float64Array;
  const total = mass.reduce((sum, m) => sum + m, 0);
  const pins = pinned.flatMap((is, i) => (is ? [i] : []));
  // as stiff as the step allows: a time constant of two steps, which is where MuJoCo stops
  const solref = `${2 / rate} 1`;
  return `<mujoco>
  <compiler boundinertia="1e-12"/>
  <option timestep="${1 / rate}" gravity="0 0 -${gravity}" solver="${solver}" iterations="${iterations}" tolerance="1e-8" jacobian="sparse" integrator="implicitfast"/>
  <size memory="1G"/>
  <worldbody>
    <flexcomp name="cloth" type="direct" dim="2" mass="${total}" radius="0.0005"
      point="${Array.from(start).join(" ")}" element="${Array.from(sheet.triangles as Int32Array).join(" ")}">
      <pin id="${pins.join(" ")}"/>
      <edge equality="${equality}" solref="${solref}" solimp="0.99 0.9999 0.001"/>
      <contact selfcollide="none" internal="false" contype="0" conaffinity="0"/>
    </flexcomp>
  </worldbody>
</mujoco>`;
}

// the table and the plot

export function peersTable(rows: readonly PeerRow[]): string {
  const head = [
    "engine",
    "points",
    "setting",
    "s per s",
    "mean strain",
    "max strain",
    "sag m",
    "mm/s",
  ];
  const percent = (x: number): string => `${(100 * x).toPrecision(2)} %`;
  const lines = rows.map((row) => [
    row.engine,
    String(row.points),
    row.setting,
    row.perSecond.toPrecision(3),
    ...(holds(row)
      ? [percent(row.edgeMean), percent(row.edgeMax), row.sag.toFixed(3)]
      : ["flies apart", "", ""]),
    holds(row) ? (1000 * row.speed).toFixed(0) : "",
  ]);
  return `${columns([head, ...lines])}\n${verdict(rows)}`;
}

/** Whether it is still a sheet. */
const holds = (row: PeerRow): boolean => row.edgeMean < 10;

/** At equal true strain: how much longer the others take than we do, or we than they. */
function verdict(rows: readonly PeerRow[]): string {
  const lines: string[] = [];
  for (const points of new Set(rows.map((row) => row.points))) {
    const all = rows.filter((row) => row.points === points);
    const own = all.filter((row) => row.engine === "isoplate");
    for (const engine of new Set(all.map((row) => row.engine))) {
      if (engine === "isoplate" || own.length === 0) continue;
      const theirs = all.filter((row) => row.engine === engine);
      // our fastest run that is as good as their best
      const best = theirs.reduce((a, b) => (b.edgeMean < a.edgeMean ? b : a));
      const worst = Math.max(...own.map((row) => row.edgeMean));
      const asGood = theirs.filter((row) => row.edgeMean <= worst);
      if (asGood.length > 0) {
        const fastestTheirs = Math.min(...asGood.map((row) => row.perSecond));
        const fastestOurs = Math.min(...own.map((row) => row.perSecond));
        const factor = fastestTheirs / fastestOurs;
        lines.push(
          `${points} points: ${engine} takes ${factor.toPrecision(2)} times our time to come to a mean strain of ${(100 * worst).toPrecision(2)} %`,
        );
      } else if (!holds(best))
        lines.push(`${points} points: ${engine} flies apart in all that was tried`);
      else
        lines.push(
          `${points} points: ${engine} never comes to our mean strain of ${(100 * worst).toPrecision(2)} %; its best is ${(100 * best.edgeMean).toPrecision(2)} % at ${best.perSecond.toPrecision(2)} s per s`,
        );
    }
  }
  return lines.join("\n");
}

async function plotRows(rows: readonly PeerRow[], folder: string): Promise<void> {
  if (rows.length === 0) return;
  mkdirSync(join(folder, "results"), { recursive: true });
  for (const points of new Set(rows.map((row) => row.points))) {
    const series = [...new Set(rows.map((row) => row.engine))].map((name) => {
      const own = rows
        .filter((row) => row.engine === name && row.points === points)
        .sort((a, b) => a.perSecond - b.perSecond);
      return {
        name,
        style: "line+points" as const,
        x: own.map((row) => row.perSecond),
        y: own.map((row) => row.edgeMean),
      };
    });
    const svg = await linePlot({
      title: `${points} points, two corners pinned`,
      x: { label: "work per simulated second", unit: "s", log: true },
      y: { label: "mean strain of the edges at rest", unit: "%", factor: 100, log: true },
      series,
    });
    writeFileSync(join(folder, "results", `peers-${points}.svg`), svg);
  }
  writeFileSync(join(folder, "results", "peers.txt"), `${machineLine()}\n${peersTable(rows)}\n`);
}

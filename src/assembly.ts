/**
 * From a scene and its sheet to what steps: the system, its solvers and a solid under the sheet, in one memory, with their loops in the
 * kernels. The one place that knows all of these folders.
 */
import { baselineOf } from "./baselines/baseline.ts";
import { instantiate } from "./kernels/kernels.ts";
import { inOneMemory, type ReadonlyF64 } from "./linalg/arena.ts";
import type { Scene } from "./scene/scene.ts";
import type { ReadMesh, Sheet } from "./sheet/kinematics.ts";
import {
  attachWork,
  createState,
  createStepper,
  layOutWork,
  planSolver,
  type Stepper,
} from "./step/stepper.ts";
import { createSubstrate, substrateModel } from "./substrate/substrate.ts";
import { attachSystem, createSystem, layOutSystem, planSystem } from "./system/build.ts";

export interface AssemblyOptions {
  /** false: TypeScript instead of WebAssembly; the same bits. */
  readonly kernels: boolean;
  readonly readMesh: ReadMesh | undefined;
}

export function assemble(
  scene: Scene,
  sheet: Sheet,
  start: { Y: ReadonlyF64; V: ReadonlyF64 },
  { kernels, readMesh }: AssemblyOptions,
): Stepper {
  const compile = kernels ? instantiate : null;
  const solid = substrateModel(scene, readMesh, compile);
  const plan = planSystem(scene, sheet, start, { readMesh, solid, baselineOf });
  const coarse = planSolver(plan);
  const { arena, value } = inOneMemory((memory) => {
    const system = layOutSystem(memory, plan);
    return {
      system,
      substrate: solid && createSubstrate(memory, solid, scene, sheet, plan.start.Y, plan.ofSheet),
      state: createState(memory, plan, system),
      work: layOutWork(memory, plan, coarse, system),
    };
  });
  const { substrate, state, work } = value;
  const system = createSystem(arena, plan, value.system, substrate);
  const stepper = createStepper(system, state, work, {
    compile,
    withSolid: (ofSheet) => substrate?.precondition(ofSheet) ?? ofSheet,
  });
  if (compile) {
    const compiled = compile(arena);
    attachSystem(compiled, system);
    attachWork(compiled, stepper.work);
    substrate?.factor?.attach(compiled);
  }
  return stepper;
}

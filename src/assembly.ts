/**
 * From a scene and its sheet to what steps: the system, its solvers and a solid under the sheet, in one memory, with their loops in the
 * kernels.
 */
import { instantiate } from "./kernels/kernels.ts";
import type { Team, Threads } from "./kernels/team.ts";
import { inOneMemory, type ReadonlyF64 } from "./linalg/arena.ts";
import type { Scene } from "./scene/scene.ts";
import type { ReadMesh, Sheet } from "./sheet/kinematics.ts";
import { loopsWithoutKernels, methodsOf } from "./step/methods.ts";
import {
  attachWork,
  createState,
  createStepper,
  layOutWork,
  planSolver,
  type Stepper,
} from "./step/stepper.ts";
import { attachSystem, createSystem, layOutSystem, planSystem } from "./system/build.ts";

export interface AssemblyOptions {
  /** false: TypeScript instead of WebAssembly; the same bits. */
  readonly kernels: boolean;
  readonly readMesh: ReadMesh | undefined;
  readonly threads?: Threads | undefined;
  /** Told of threads that were started, to end them. */
  readonly onTeam?: (team: Team) => void;
}

export function assemble(
  scene: Scene,
  sheet: Sheet,
  start: { Y: ReadonlyF64; V: ReadonlyF64 },
  { kernels, readMesh, threads, onTeam }: AssemblyOptions,
): Stepper {
  const compile = kernels ? instantiate : null;
  const methods = methodsOf(scene);
  const solid = methods?.solidOf(scene, readMesh, compile) ?? null;
  const plan = planSystem(scene, sheet, start, { readMesh, solid, positionMethods: methods });
  const coarse = planSolver(plan);
  const isShared = kernels && coarse !== null && threads !== undefined && threads.count > 1;
  const sharing = { shared: isShared };
  const { arena, value } = inOneMemory((memory) => {
    const system = layOutSystem(memory, plan);
    return {
      system,
      substrate: solid?.create(memory, scene, sheet, plan.start.Y, plan.ofSheet) ?? null,
      state: createState(memory, plan, system),
      work: layOutWork(memory, plan, coarse, system),
    };
  }, sharing);
  const { substrate, state, work } = value;
  const system = createSystem(arena, plan, value.system, substrate);
  const stepper = createStepper(system, state, work, {
    compile,
    withSolid: (ofSheet) => substrate?.precondition(ofSheet) ?? ofSheet,
  });
  if (compile) {
    const team =
      isShared &&
      work.minimise.sheet &&
      threads.startTeam(arena, work.minimise.sheet.control.byteOffset);
    if (team) onTeam?.(team);
    const compiled = team ? instantiate(arena, { team, shared: threads.shared }) : compile(arena);
    attachSystem(compiled, system);
    attachWork(compiled, stepper.work);
    substrate?.attach(compiled);
  } else if (work.minimise.sheet) work.minimise.sheet.loops = loopsWithoutKernels();
  return stepper;
}

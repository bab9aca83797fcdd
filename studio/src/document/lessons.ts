/** Lessons: a scene each that shows one thing, with two sentences: what to look at, and what to try. */
import type { SceneInput, SheetInput } from "../../../src/index.ts";

export interface Lesson {
  readonly name: string;
  readonly title: string;
  /** What there is to see, and what to try. */
  readonly says: string;
  input(): SceneInput;
}

const strip = (width: number, height: number, points: number): SheetInput => ({
  shape: { type: "rectangle", width, height },
  sampling: { points },
});

/** A sheet of paper between two clamps whose right one comes nearer. */
function pressed(kind: "clamp" | "hinge", shift: number): SceneInput {
  return {
    solver: "accurate",
    seconds: 3,
    gravity: 0,
    pressure: 0.1, // enough to decide to which side it buckles
    sheet: { ...strip(0.297, 0.21, 400), material: "paper" },
    air: { drag: 1.5 },
    pins: [
      { name: "left", at: { edge: "left" }, kind },
      {
        name: "right",
        at: { edge: "right" },
        kind,
        motion: { smooth: true, keys: [{ time: 2.5, translate: [-shift, 0, 0] }] },
      },
    ],
  };
}

function cantilever(length: number, material: SheetInput["material"]): SceneInput {
  return {
    solver: "interactive",
    seconds: 3,
    sheet: { ...strip(length, 0.08, 300), ...(material === undefined ? {} : { material }) },
    air: { drag: 1.5 },
    pins: [{ name: "clamp", at: { edge: "left" }, kind: "clamp" }],
  };
}

const hung = (sheet: SheetInput, more: Partial<SceneInput> = {}): SceneInput => ({
  solver: "interactive",
  seconds: 4,
  sheet,
  air: { drag: 1.5 },
  ...more,
});

const corner = (name: string): { name: string; at: { corner: string; radius: number } } => ({
  name,
  at: { corner: name, radius: 0.03 },
});

export const LESSONS: readonly Lesson[] = [
  lesson(
    "elastica",
    "The elastica",
    "A strip pressed from its ends bends into Euler's curve, whatever it is made of. Under Charts, plot the force of the right pin over its shift: it begins near Euler's load and grows slowly.",
    () => pressed("hinge", 0.12),
  ),
  lesson(
    "euler-buckling",
    "Euler's buckling load",
    "Clamped at both ends this sheet of paper gives way at 4π² D w / L² = 43 mN. Change its length to half under Make: the force that it takes is four times as large.",
    () => pressed("clamp", 0.02),
  ),
  lesson(
    "cantilever-length",
    "How far does it stick out?",
    "A strip of paper bends under its own weight by an amount that only the number σ g L³ / D decides. Make it twice as long: that number is eight times as large.",
    () => cantilever(0.2, "paper"),
  ),
  lesson(
    "bending-length",
    "The bending length of a fabric",
    "Weavers measure stiffness by how far a strip sticks out before its end hangs 41.5° below. Choose other materials under Sheet, and settle: cotton bends on (D/σg)^⅓ = 2 cm, leather on 8 cm.",
    () => cantilever(0.15, "cotton"),
  ),
  lesson(
    "d-cone",
    "The d-cone",
    "A disc pushed into a ring can neither stretch nor fold all around: it lifts off on one side, and bending gathers in one point. Colour it by mean curvature.",
    () => ({
      solver: "accurate",
      seconds: 2,
      gravity: 0,
      sheet: {
        shape: { type: "disc", radius: 0.15 },
        sampling: { points: 500 },
        // a little tilted: level it would lift off on three sides at once
        pose: { position: [0, 0, 0.02], rotation: [0, 5, 0] },
        material: "film",
        noise: 1e-4,
      },
      air: { drag: 1.5 },
      pins: [
        {
          name: "tip",
          at: { nearest: [0, 0], radius: 0.008 },
          motion: { smooth: true, keys: [{ time: 1.5, translate: [0, 0, -0.035] }] },
        },
      ],
      colliders: [
        { name: "ring", body: { type: "torus", major: 0.1, minor: 0.004 }, friction: 0.1 },
      ],
    }),
  ),
  lesson(
    "gauss",
    "Why pizza is held bent",
    "A sheet that is curved across cannot bend along without stretching, so it holds itself up (Gauss). Under Make let it start flat instead of rolled, run it, and it hangs.",
    () => ({
      ...cantilever(0.2, "paper"),
      sheet: {
        ...strip(0.2, 0.12, 400),
        pose: { type: "cylinder", radius: 0.06, angle: 90 },
        material: "paper",
      },
    }),
  ),
  lesson(
    "locking",
    "Locking",
    "Elastic triangles that hardly stretch cannot bend either where their edges do not lie along the fold: the sheet hangs too high. Choose Compare, Methods, and look at the curves.",
    () =>
      hung(
        { ...strip(1, 1, 300), material: { density: 0.2, D: 1e-4 } },
        { pins: [corner("bottom-left"), corner("top-right")] },
      ),
  ),
  lesson(
    "drape",
    "Drape and its folds",
    "A round cloth on a round table falls into folds that are wider the stiffer it is. Make D ten times as large under Sheet and reset: about two thirds as many are left, and they stand out farther.",
    () =>
      hung(
        {
          shape: { type: "disc", radius: 0.4 },
          sampling: { points: 900 },
          pose: { position: [0, 0, 0.356] },
          material: { density: 0.2, D: 1e-4 },
          look: { print: "gingham", size: 0.06 },
        },
        {
          air: { drag: 2 },
          colliders: [
            {
              name: "table",
              body: { type: "cylinder", radius: 0.2, length: 0.35, rounding: 0.01 },
              position: [0, 0, 0.175],
            },
            { name: "floor", body: { type: "plane" } },
          ],
        },
      ),
  ),
  lesson(
    "no-shear",
    "Checks do not lie",
    "The print moves with the material: where squares stay squares nothing shears and nothing stretches, however it is folded. Hold a corner and pull.",
    () =>
      hung(
        {
          ...strip(0.8, 0.8, 500),
          pose: { rotation: [90, 0, 0] },
          material: { density: 0.15, D: 1e-4 },
          noise: 1e-4,
          look: { print: "checks", size: 0.1 },
        },
        {
          pins: [
            corner("top-left"),
            {
              ...corner("top-right"),
              motion: { smooth: true, keys: [{ time: 1, translate: [-0.3, 0, 0] }] },
            },
          ],
        },
      ),
  ),
  lesson(
    "pendulum",
    "A pendulum that bends",
    "A strip let go from 30° swings like a chain, not like a stick: its end lags behind. Make it stiffer under Sheet and it becomes a stick.",
    () =>
      hung(
        {
          ...strip(0.1, 0.5, 300),
          pose: { rotation: [60, 0, 0] },
          material: { density: 0.15, D: 1.8e-4 },
        },
        { air: { drag: 0 }, pins: [{ name: "rail", at: { edge: "top" }, kind: "hinge" }] },
      ),
  ),
  lesson(
    "friction",
    "The angle of friction",
    "A sheet on a slope of 20° stays if the friction is above tan 20° = 0.36 and slides below. Set it to 0.3 under Make, Loads.",
    () =>
      hung(
        {
          ...strip(0.2, 0.2, 150),
          // its middle 3 mm above the slope, along which it lies
          pose: { position: [-0.0929, -0.1, 0.037], rotation: [0, 20, 0] },
          material: { density: 0.2, D: 1e-3 },
        },
        {
          air: { drag: 0 },
          colliders: [
            { name: "slope", body: { type: "plane" }, rotation: [0, 20, 0], friction: 0.45 },
          ],
        },
      ),
  ),
  lesson(
    "wind",
    "A flag",
    "Wind pushes along the normal of the cloth and makes it flap; still air only slows it. Turn the wind to 1 m/s: below some speed the flag hangs.",
    () =>
      hung(
        {
          ...strip(0.6, 0.4, 400),
          pose: { rotation: [90, 0, 0] },
          material: { density: 0.1, D: 2e-5 },
          noise: 1e-3,
          look: { print: "stripes", size: 0.2 },
        },
        {
          seconds: 6,
          air: { drag: 0.05, wind: [6, 0.4, 0], density: 1.2 },
          pins: [{ name: "pole", at: { edge: "left" } }],
        },
      ),
  ),
];

function lesson(name: string, title: string, says: string, make: () => SceneInput): Lesson {
  return {
    name,
    title,
    says,
    input: () => ({ name: `lesson-${name}`, description: title, ...make() }),
  };
}

/** The lesson of a scene; undefined if it is none. */
export function lessonOf(scene: string | undefined): Lesson | undefined {
  return LESSONS.find(({ name }) => scene === `lesson-${name}`);
}

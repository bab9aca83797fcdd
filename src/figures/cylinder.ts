/** Crushed cylinder: diamonds early in the fine run, similar folds in the end in both. */
import type { Block } from "../picture/page.ts";
import { linePlot } from "../picture/plots.ts";
import { type TubePattern, tubePattern } from "../recording/patterns.ts";
import type { Recording } from "../recording/recording.ts";
import { CYLINDER, cylinder } from "../scene/library/tube.ts";
import { percent } from "./draping.ts";
import type { Figure, FigureCheck } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { commonCamera, endOf, pictureBlock, shots } from "./shots.ts";

/** 1/m, at the ends of the colours: dimples are faint, ridges full. */
const STEEPEST = 100;

export const crushedCylinder: Figure = {
  name: "cylinder",
  title: "Crushed cylinder",
  claim:
    "Only the fine simulation resolves the fine-scale pattern, but both simulations settle to similar static states (15 039 and 979 points, tolerance 0.001).",
  minutes: { fast: 2, full: 120 },
  async make(options) {
    const sizes = options.fast ? [1500, 500] : [15039, 979];
    const seconds = options.fast ? 0.8 : 2;
    const scenes = sizes.map((points, k) => ({
      ...cylinder({ points, seconds }),
      name: k === 0 ? "cylinder-fine" : "cylinder-coarse",
    }));
    return withRecordings(scenes, options, async (runs) => {
      const [fine, coarse] = runs.map(({ recording }) => recording);
      const [a, b] = [fine, coarse].map(patterns);
      const end = endOf(fine);
      const early = earlyFrame(a);
      const times = [a.time[early], 0.12 * seconds, 0.35 * seconds, end];
      const camera = commonCamera([fine, coarse], [0, end], { from: [0.5, -0.8, 0.25] });
      const style = { camera, color: "curvature", max: STEEPEST, pins: false } as const;
      const label = (t: number): string => `${t.toFixed(2)} s`;
      const pictures = await pictureBlock(
        [...shots(fine, times, style), ...shots(coarse, times, style)],
        [...times, ...times].map(
          (t, k) => `${k < times.length ? sizes[0] : sizes[1]} points, ${label(t)}`,
        ),
        {
          out: options.out,
          name: "cylinder",
          columns: times.length,
          caption:
            "Fine above, coarse below, coloured by mean curvature: the early pattern, as it merges, on the way, and at rest.",
        },
      );
      const checks = claims(a, b, early);
      return {
        blocks: [pictures, { type: "row", blocks: await plots(a, b) }],
        checks,
        runs: runs.map(({ name, summary }) => ({ name, summary })),
      };
    });
  },
};

interface Course {
  points: number;
  time: number[];
  pattern: TubePattern[];
  bending: number[];
  height: number[];
}

function patterns(recording: Recording): Course {
  const course: Course = {
    points: recording.sheet.n,
    time: [],
    pattern: [],
    bending: [],
    height: [],
  };
  for (let frame = 0; frame < recording.frames; frame++) {
    const Y = recording.positions(frame);
    let [low, high] = [Infinity, -Infinity];
    for (let k = 2; k < Y.length; k += 3) {
      low = Math.min(low, Y[k]);
      high = Math.max(high, Y[k]);
    }
    course.time.push(recording.time(frame));
    course.pattern.push(tubePattern(recording.sheet, Y, CYLINDER.radius));
    course.bending.push(recording.metrics[frame]?.bending ?? Number.NaN);
    course.height.push(high - low);
  }
  return course;
}

/** The first frame whose pattern is clearly there: a fiftieth of the radius deep. */
function earlyFrame({ pattern }: Course): number {
  const found = pattern.findIndex(({ amplitude }) => amplitude > CYLINDER.radius / 50);
  return Math.max(found, 0);
}

function claims(fine: Course, coarse: Course, early: number): FigureCheck[] {
  const last = <T>(list: readonly T[]): T => list[list.length - 1];
  const [a, b] = [last(fine.pattern), last(coarse.pattern)];
  const first = fine.pattern[early];
  const energies = last(fine.bending) / last(coarse.bending);
  const deep = a.amplitude / b.amplitude;
  return [
    {
      what: "diamonds around the fine tube when the pattern appears",
      claim: "a fine-scale pattern: more lobes than at the end",
      ours: `${first.lobes} lobes at ${fine.time[early].toFixed(2)} s, ${a.lobes} at the end`,
      holds: first.lobes > a.lobes,
    },
    {
      what: "folds at rest, fine and coarse",
      claim: "similar static states: lobes around within 2 of each other",
      ours: `${a.lobes} and ${b.lobes} lobes, ${a.halfWaves} and ${b.halfWaves} half waves along the height`,
      holds: Math.abs(a.lobes - b.lobes) <= 2,
    },
    {
      what: "depth of the folds at rest, fine against coarse",
      claim: "similar: within 25 %",
      ours: `${(1000 * a.amplitude).toFixed(1)} and ${(1000 * b.amplitude).toFixed(1)} mm, ${percent(deep - 1)}`,
      holds: Math.abs(deep - 1) < 0.25,
    },
    {
      what: "bending energy at rest, fine against coarse",
      claim: "similar: within a factor of 2",
      ours: `${last(fine.bending).toPrecision(2)} and ${last(coarse.bending).toPrecision(2)} J`,
      holds: energies < 2 && energies > 0.5,
    },
  ];
}

async function plots(...courses: Course[]): Promise<Block[]> {
  const size = { width: 420, height: 220 };
  const time = { label: "time", unit: "s" };
  const series = (of: (course: Course, k: number) => number) =>
    courses.map((course) => ({
      name: `${course.points} points`,
      x: course.time,
      y: course.time.map((_, k) => of(course, k)),
    }));
  return Promise.all([
    plot(
      await linePlot({
        title: "Lobes around",
        x: time,
        y: { label: "strongest wave", min: 0 },
        series: series(({ pattern }, k) =>
          pattern[k].amplitude > CYLINDER.radius / 500 ? pattern[k].lobes : Number.NaN,
        ),
        ...size,
      }),
    ),
    plot(
      await linePlot({
        title: "Depth of the pattern",
        x: time,
        y: { label: "root mean square", unit: "mm", factor: 1000, min: 0 },
        series: series(({ pattern }, k) => pattern[k].amplitude),
        ...size,
      }),
    ),
    plot(
      await linePlot({
        title: "Half waves along the height",
        x: time,
        y: { label: "strongest wave", min: 0 },
        series: series(({ pattern }, k) =>
          pattern[k].amplitude > CYLINDER.radius / 500 ? pattern[k].halfWaves : Number.NaN,
        ),
        ...size,
      }),
    ),
    plot(
      await linePlot({
        title: "Bending energy",
        x: time,
        y: { label: "energy", unit: "J", min: 0 },
        series: series(({ bending }, k) => bending[k]),
        ...size,
      }),
    ),
  ]);
}

async function plot(svg: string): Promise<Block> {
  return { type: "plot", svg };
}

/** Crushed cylinder: diamonds early in the fine run, similar folds in the end in both. */
import type { Block } from "../picture/page.ts";
import { linePlot } from "../picture/plots.ts";
import { bucklingLoad, type TubePattern, tubePattern } from "../recording/patterns.ts";
import type { Recording } from "../recording/recording.ts";
import { CYLINDER, cylinder, tubeOf } from "../scene/library/tube.ts";
import { percent, soundCheck, stretchCheck } from "./checks.ts";
import type { Figure, FigureCheck } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { commonCamera, endOf, pictureBlock, shots } from "./shots.ts";

/** Frames a second: the pattern appears within two hundredths of one. */
const FRAMES = 120;
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
      record: { rate: FRAMES },
      name: k === 0 ? "cylinder-fine" : "cylinder-coarse",
    }));
    return withRecordings(scenes, options, async (runs) => {
      const [fine, coarse] = runs.map(({ recording }) => recording);
      const [a, b] = [fine, coarse].map(patterns);
      const end = endOf(fine);
      const early = visibleFrame(a);
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
      const checks = [
        ...claims(a, b),
        ...runs.flatMap((run) => [stretchCheck(run), soundCheck(run)]),
      ];
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
  tube: ReturnType<typeof tubeOf>;
}

function patterns(recording: Recording): Course {
  const course: Course = {
    points: recording.sheet.n,
    time: [],
    pattern: [],
    bending: [],
    height: [],
    tube: tubeOf(recording.scene.sheets[0].material),
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

/** The first frame whose pattern is there: a fifth of the thickness √(12D/K) of a plate with this D and K. Deeper ones are no longer modes of the perfect tube. */
function firstFrame({ pattern, tube: { D, K } }: Course): number {
  const found = pattern.findIndex(({ amplitude }) => amplitude > Math.sqrt((12 * D) / K) / 5);
  return Math.max(found, 0);
}

/** The first frame whose pattern can be seen: a fiftieth of the radius deep. */
function visibleFrame({ pattern }: Course): number {
  const found = pattern.findIndex(({ amplitude }) => amplitude > CYLINDER.radius / 50);
  return Math.max(found, 0);
}

function claims(fine: Course, coarse: Course): FigureCheck[] {
  const last = <T>(list: readonly T[]): T => list[list.length - 1];
  const [a, b] = [last(fine.pattern), last(coarse.pattern)];
  const energies = last(fine.bending) / last(coarse.bending);
  const heights = last(fine.height) / last(coarse.height);
  const early = visibleFrame(fine);
  return [
    ...[fine, coarse].map(firstBuckling),
    {
      what: "diamonds around the fine tube when the pattern appears",
      claim: "a fine-scale pattern: more lobes than at the end",
      ours: `${fine.pattern[early].lobes} lobes at ${fine.time[early].toFixed(2)} s, ${a.lobes} at the end`,
      holds: fine.pattern[early].lobes > a.lobes,
    },
    {
      what: "folds at rest, fine and coarse",
      claim: "similar static states: as many lobes around",
      ours: `${a.lobes} and ${b.lobes} lobes, ${a.halfWaves} and ${b.halfWaves} half waves along the height`,
      holds: a.lobes === b.lobes,
    },
    {
      what: "height at rest, fine against coarse",
      claim: "similar: within 10 %",
      ours: `${(1000 * last(fine.height)).toFixed(1)} and ${(1000 * last(coarse.height)).toFixed(1)} mm`,
      holds: Math.abs(heights - 1) <= 0.1,
    },
    {
      what: "bending energy at rest, fine against coarse",
      claim: "similar: within 10 %",
      ours: `${last(fine.bending).toPrecision(3)} and ${last(coarse.bending).toPrecision(3)} J, ${percent(energies - 1)}`,
      holds: Math.abs(energies - 1) <= 0.1,
    },
  ];
}

/** The mode in which the tube first buckles, beside those of least load. */
function firstBuckling(course: Course): FigureCheck {
  const frame = firstFrame(course);
  const { mode } = course.pattern[frame];
  const load = bucklingLoad(mode, course.tube);
  const most = 0.5 * Math.sqrt(course.tube.radius * Math.sqrt(course.tube.K / course.tube.D));
  return {
    what: `${course.points} points: the mode that appears first`,
    claim: `one of the modes of least load, to a quarter of it (at most ${most.toFixed(1)} lobes)`,
    ours: `${mode.lobes} lobes, ${mode.halfWaves} half waves along the height at ${course.time[frame].toFixed(3)} s: ${load.toFixed(2)} of the least load`,
    holds: load <= 1.25,
  };
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

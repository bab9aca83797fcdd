/**
 * The locking test: a square held by two opposite corners, by ours and by what the paper compares with (its twelve pictures).
 *
 * The paper does not say how stiff its cloth was. The fold between the pins has the radius √(D/T), T being the weight per
 * width that hangs on it, about 1 N/m. At D = 10⁻² N·m that is two and a half spacings of the 662 points, so that a method that
 * is off is off by its membrane and not by its mesh; at the 10⁻⁴ of `pinned-cloth` it is a quarter of a spacing, and no
 * method has its bending energy right.
 *
 * Membranes are compared at equal stiffness: shells and ours are run at 10³, 10⁴ and 10⁵ N/m each, and shells on four times the points
 * are a reference that is independent of our method. At D = 10⁻⁴ the limit of an isometric cloth without bending is one.
 */
import { type Method, methodsOf, quads, shells, withStiffness } from "../compare/methods.ts";
import { type Measures, measured } from "../compare/outcome.ts";
import { endPictures } from "../compare/picture.ts";
import { offFrom, signed } from "../compare/report.ts";
import { pngBytes, savePng } from "../picture/film.ts";
import type { Block, Cell } from "../picture/page.ts";
import { shown } from "../picture/page.ts";
import { dataUri } from "../picture/png.ts";
import { DEFAULTS } from "../scene/defaults.ts";
import type { SamplingInput, SceneInput } from "../scene/input.ts";
import { pinnedCloth } from "../scene/library.ts";
import { parseScene } from "../scene/scene.ts";
import { sceneInput } from "../scene/write.ts";
import { percent } from "./checks.ts";
import type { Figure, FigureCheck, FigureOptions } from "./figure.ts";
import { type FigureRecording, withRecordings } from "./runs.ts";

/** N·m, of all. */
const D = 1e-2;
/** Towards the camera: along the fold and from its side, so that both a sagging fold and spread wings are seen. */
const FROM = [1, -0.09, 0.3] as const;
/** Shares of the reference within which "similar" and "does not lock" are held to. */
const NEAR = { deflection: 0.05, bending: 0.1 };
/** Share of the reference from which a sheet counts as locked. */
const LOCKED = 0.2;
/** N/m: membranes at which ours and shells are compared; the second is the default membrane of this cloth. */
const EQUAL = [1e3, 1e4, 1e5] as const;
/** N/m: diagonals of quads beyond the paper's. */
const MORE_QUADS = [1e3, 1e4];
/** m: how far a square metre falls on average between two opposite corners at their rest distance, for D → 0 and K → ∞: √2/6. */
const LIMIT = Math.SQRT2 / 6;
/** N·m, at which that limit is asked for. */
const LIMP = 1e-4;

interface Entry {
  name: string;
  /** Below its picture. */
  label: string;
  input: SceneInput;
}

export const locking: Figure = {
  name: "locking",
  title: "Locking test",
  claim:
    "All these simulations [ours] have similar curvature and do not lock. Notice there is no free lunch [for shells] between excessive in-plane strain, and membrane locking. The edge length constraints on a quad mesh do not control the length of each quad diagonal: the cloth sags significantly.",
  minutes: { fast: 1, full: 10 },
  async make(options) {
    const entries = entriesOf(options);
    return withRecordings(
      entries.map(({ input }) => input),
      options,
      async (runs) => {
        const measures = new Map(runs.map((run, k) => [entries[k].name, measuresOf(run)]));
        const reference = measures.get("reference")!;
        const blocks = await pictures(entries, runs, measures, reference, options);
        return {
          blocks: [...blocks, table(entries, measures, reference)],
          checks: checksOf(measures, reference),
          runs: runs.map(({ name, summary }) => ({ name, summary })),
        };
      },
    );
  },
};

/**
 * The paper's twelve, row by row, and then: ours as it is, the finest, triangle edges, shells and ours at equal membranes, stiffer diagonals, and a limp cloth.
 */
function entriesOf({ fast }: Pick<FigureOptions, "fast">): Entry[] {
  const size = fast
    ? { coarse: 150, grid: 144, fine: 300, finest: 600, seconds: 2 }
    : { coarse: 662, grid: 625, fine: 1656, finest: 2648, seconds: 4 };
  const cloth = (sampling: SamplingInput, rings = 1): SceneInput =>
    pinnedCloth({ sampling, rings, D, seconds: size.seconds });
  const coarse = cloth({ points: size.coarse });
  const by = (name: string, label: string, method: Method, input = coarse): Entry => {
    const scene = method.apply(parseScene(input));
    return { name, label, input: { ...sceneInput(scene), name: `locking-${name}` } };
  };
  const [ours, paper, triangles] = methodsOf(["ours", "paper", "triangles"]);
  const grid = cloth({ type: "grid", points: size.grid });
  const columns = [
    [0.1, 0.01, 0.001].map((tolerance) =>
      by(`paper-${tolerance}`, `paper, tolerance ${tolerance}`, paper, { ...coarse, tolerance }),
    ),
    [
      by(
        "wide",
        "ours, twice the neighbourhood (of no effect)",
        ours,
        cloth({ points: size.coarse }, 2),
      ),
      by("regular", `ours, regular grid of ${size.grid}`, ours, grid),
      by("fine", `ours, ${size.fine} points`, ours, cloth({ points: size.fine })),
    ],
    [1e4, 100, 1].map((modulus) => {
      const method = shells(modulus);
      return by(method.name, method.title, method);
    }),
    [100, 10, 1].map((stiffness) => {
      const method = quads(stiffness);
      return by(method.name, method.title, method, grid);
    }),
  ];
  const rows = [0, 1, 2].flatMap((row) => columns.map((column) => column[row]));
  const finest = cloth({ points: size.finest });
  return [
    ...rows,
    by("ours", `ours, ${size.coarse} points`, ours),
    by("reference", `finest: ours, ${size.finest} points`, ours, finest),
    by("triangles", "triangle edges", triangles),
    by("shells-fine", `shells, ${size.finest} points, 10⁴ N/m`, shellsOf(EQUAL[1]), finest),
    by("shells-equal", "shells, 10⁴ N/m", shellsOf(EQUAL[1])),
    by("ours-soft", "ours, 10³ N/m", withMembrane(ours, EQUAL[0])),
    by("ours-stiff", "ours, 10⁵ N/m", withMembrane(ours, EQUAL[2])),
    ...MORE_QUADS.map((stiffness) => {
      const method = quads(stiffness);
      return by(method.name, method.title, method, grid);
    }),
    by("limp", `ours, ${size.coarse} points, D = 10⁻⁴ N·m`, ours, {
      ...pinnedCloth({ sampling: { points: size.coarse }, D: LIMP, seconds: size.seconds }),
    }),
  ];
}

/** Shells of that membrane stiffness (N/m), with the thickness that scenes have if they do not say. */
function shellsOf(stiffness: number): Method {
  return shells(stiffness / (DEFAULTS.thickness * 1e6));
}

function withMembrane(method: Method, stiffness: number): Method {
  return { ...method, apply: (scene) => withStiffness(method.apply(scene), stiffness) };
}

interface LockingMeasures extends Measures {
  /** m: of the middle of the cloth below its pins. */
  middle: number;
}

function measuresOf({ recording, summary }: FigureRecording): LockingMeasures {
  const { sheet, frames } = recording;
  const Y = recording.positions(frames - 1);
  let middle = 0;
  let least = Infinity;
  for (let i = 0; i < sheet.n; i++) {
    const d = (sheet.uv[2 * i] - 0.5) ** 2 + (sheet.uv[2 * i + 1] - 0.5) ** 2;
    if (d < least) {
      least = d;
      middle = i;
    }
  }
  return { ...measured(recording, summary, Y), middle: -Y[3 * middle + 2] };
}

async function pictures(
  entries: readonly Entry[],
  runs: readonly FigureRecording[],
  measures: ReadonlyMap<string, Measures>,
  reference: Measures,
  { out, fast }: FigureOptions,
): Promise<Block[]> {
  const shot = ({ name, label }: Entry, k: number) => {
    const m = measures.get(name)!;
    const { bendingOff, deflectionOff } = offFrom(m, reference);
    const words =
      name === "reference"
        ? "what the others are held against"
        : `falls ${signed(deflectionOff)}, bends ${signed(bendingOff)}, pairs ${percent(m.pair)}`;
    return { recording: runs[k].recording, label: `${label}\n${words}` };
  };
  const all = entries.map(shot);
  const style = {
    from: [...FROM] as [number, number, number],
    ...(fast ? { width: 320, height: 290 } : {}),
  };
  const made = async (name: string, from: number, to: number, caption: string): Promise<Block> => {
    const picture = endPictures(all.slice(from, to), style);
    await savePng(`${out}/${name}.png`, picture);
    return { type: "picture", src: dataUri(await pngBytes(picture)), alt: caption, caption };
  };
  return [
    await made(
      "locking",
      0,
      12,
      "As in the paper. Left: its own constraints at three tolerances. Second: ours on other neighbourhoods and meshes. Third: discrete shells. Right: inextensible quads. Colour: change of length of the edges, up to 2 %.",
    ),
    await made(
      "locking-more",
      12,
      entries.length,
      "Ours on the mesh of the others, the finest solution, the same mesh with all of its edges kept, shells and ours at equal membranes, quads with stiffer diagonals, and a limp cloth.",
    ),
  ];
}

function table(
  entries: readonly Entry[],
  measures: ReadonlyMap<string, LockingMeasures>,
  reference: Measures,
): Block {
  return {
    type: "table",
    columns: [
      "run",
      "edges, mean",
      "largest",
      "far pairs",
      "bending energy",
      "deflection",
      "sag",
      "middle",
      "roughness",
    ],
    rows: entries.map(({ name, label }): Cell[] => {
      const m = measures.get(name)!;
      const { bendingOff, deflectionOff } = offFrom(m, reference);
      return [
        label,
        percent(m.edgeMean),
        percent(m.edgeMax),
        percent(m.pair),
        `${shown(1000 * m.bending)} mJ (${signed(bendingOff)})`,
        `${shown(100 * m.deflection)} cm (${signed(deflectionOff)})`,
        `${shown(100 * m.sag)} cm`,
        `${shown(100 * m.middle)} cm`,
        `${shown((180 / Math.PI) * m.roughness)}°`,
      ];
    }),
    caption:
      "Deflection: how far the mass has fallen on average. Sag and middle: how far the lowest point and the middle of the cloth are below the pins. In brackets: off the finest.",
  };
}

/** Ours, in words. */
const OWN = {
  ours: "irregular",
  wide: "twice the neighbourhood",
  fine: "finer",
  regular: "regular grid",
};

function checksOf(
  measures: ReadonlyMap<string, LockingMeasures>,
  reference: LockingMeasures,
): FigureCheck[] {
  const of = (name: string): LockingMeasures => measures.get(name)!;
  const off = (name: string) => offFrom(of(name), reference);
  const told = (name: string): string => {
    const { bendingOff, deflectionOff } = off(name);
    return `deflection ${signed(deflectionOff)}, bending energy ${signed(bendingOff)}`;
  };
  const cm = (m: number): string => `${shown(100 * m)} cm`;
  const locks = (name: string): boolean => {
    const { bendingOff, deflectionOff } = off(name);
    return bendingOff < -LOCKED && deflectionOff < -LOCKED;
  };
  const near = (name: string): boolean => {
    const { bendingOff, deflectionOff } = off(name);
    return Math.abs(bendingOff) <= NEAR.bending && Math.abs(deflectionOff) <= NEAR.deflection;
  };
  const papers = ["paper-0.1", "paper-0.01", "paper-0.001"];
  const shellNames = ["shells-1e4", "shells-100", "shells-1"];
  const quadNames = ["quads-100", "quads-10", "quads-1"];
  const [stiff, , soft] = shellNames.map(of);
  const falls = (values: readonly number[]): boolean =>
    values.every((value, k) => k === 0 || value < values[k - 1]);
  return [
    ...neutralChecks(measures),
    ...Object.entries(OWN).map(([name, mesh]) => ({
      what: `ours (${mesh}) against the finest`,
      claim: `does not lock: deflection within ${percent(NEAR.deflection)}, bending energy within ${percent(NEAR.bending)}`,
      ours: told(name),
      holds: near(name),
    })),
    {
      what: "ours: growth of distances",
      claim: "does not stretch: under 1 %",
      ours: percent(of("ours").pair),
      holds: of("ours").pair < 0.01,
    },
    {
      what: "the paper's constraints, tolerances 0.1, 0.01, 0.001: middle of the cloth below the pins",
      claim: "the sagging in the middle decreases with the tolerance",
      ours: `${papers.map((name) => cm(of(name).middle)).join(", ")} (finest ${cm(reference.middle)}); growth of distances ${papers.map((name) => percent(of(name).pair)).join(", ")}`,
      holds: falls(papers.map((name) => of(name).middle)),
    },
    {
      what: "shells at 10⁴ MPa",
      claim: `lock: deflection and bending energy more than ${percent(LOCKED)} short`,
      ours: `${told("shells-1e4")}, sag ${cm(stiff.sag)} instead of ${cm(reference.sag)}`,
      holds: locks("shells-1e4"),
    },
    {
      what: "shells at 10⁴, 100 and 1 MPa: no free lunch",
      claim: "as the locking goes the stretch comes",
      ours: shellNames
        .map((name) => `${signed(off(name).deflectionOff)} at ${percent(of(name).edgeMax)} strain`)
        .join("; "),
      holds: stiff.deflection < soft.deflection && stiff.edgeMax < soft.edgeMax,
    },
    {
      what: "triangle edges kept",
      claim: `lock: deflection and bending energy more than ${percent(LOCKED)} short`,
      ours: `${told("triangles")}, sag ${cm(of("triangles").sag)} instead of ${cm(reference.sag)}`,
      holds: locks("triangles"),
    },
    {
      what: "quads with diagonals of 100, 10 and 1 N/m: middle of the cloth below the pins",
      claim: "sag along the diagonal, the more the weaker",
      ours: `${quadNames.map((name) => cm(of(name).middle)).join(", ")} (finest ${cm(reference.middle)}, ours ${cm(of("ours").middle)}); growth of distances ${quadNames.map((name) => percent(of(name).pair)).join(", ")}`,
      holds:
        falls([...quadNames].reverse().map((name) => of(name).middle)) &&
        of("quads-10").middle > 2 * of("ours").middle,
    },
  ];
}

/** Against what is not ours, and at equal membranes: printed as they come out. */
function neutralChecks(measures: ReadonlyMap<string, LockingMeasures>): FigureCheck[] {
  const of = (name: string): LockingMeasures => measures.get(name)!;
  const neutral = of("shells-fine");
  const told = (name: string): string => {
    const { bendingOff, deflectionOff } = offFrom(of(name), neutral);
    return `${signed(deflectionOff)}, ${signed(bendingOff)} at ${percent(of(name).pair)} of growth`;
  };
  const error = (name: string): number => Math.abs(offFrom(of(name), neutral).deflectionOff);
  const pairs = [
    ["10³", "ours-soft", "shells-1"],
    ["10⁴", "ours", "shells-equal"],
    ["10⁵", "ours-stiff", "shells-100"],
  ] as const;
  const diagonals = [...MORE_QUADS].reverse().concat([100, 10, 1]);
  const nearQuads = diagonals.filter(
    (k) => error(quads(k).name) <= NEAR.deflection && of(quads(k).name).pair < 0.01,
  );
  const limp = of("limp").deflection / LIMIT - 1;
  return [
    {
      what: "ours, finest, against shells on as many points",
      claim: `both converge to one shape: deflection within ${percent(NEAR.deflection)}, bending energy within ${percent(NEAR.bending)}`,
      ours: told("reference"),
      holds:
        error("reference") <= NEAR.deflection &&
        Math.abs(offFrom(of("reference"), neutral).bendingOff) <= NEAR.bending,
    },
    ...pairs.map(([stiffness, ours, others]) => ({
      what: `ours and shells, both with a membrane of ${stiffness} N/m, against fine shells: deflection, bending energy`,
      claim: "ours is nearer",
      ours: `ours ${told(ours)}; shells ${told(others)}`,
      holds: error(ours) < error(others),
    })),
    {
      what: `quads with diagonals of ${diagonals.join(", ")} N/m, against fine shells: deflection`,
      claim: `none is within ${percent(NEAR.deflection)} with distances grown by less than 1 %`,
      ours: diagonals.map((k) => told(quads(k).name)).join("; "),
      holds: nearQuads.length === 0,
    },
    {
      what: "ours at D = 10⁻⁴ N·m: deflection",
      claim: "within 2.5 % of √2/6 m, the limit of an isometric cloth without bending",
      ours: `${shown(100 * of("limp").deflection)} cm instead of ${shown(100 * LIMIT)} (${signed(limp)})`,
      holds: Math.abs(limp) <= 0.025,
    },
  ];
}

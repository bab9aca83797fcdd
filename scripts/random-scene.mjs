/**
 * Random scenes for the soak: the same for the same seed, on every machine. Each has a class for every feature that it uses, so
 * that a soak can tell how each of them does, and leave some out by name.
 */
import { ballMesh, domeMesh, wedgeMesh } from "./random-mesh.mjs";

/** Mulberry32: small, seeded, and the same everywhere. */
export function generator(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const round = (x) => Number(x.toPrecision(4)); // what is printed is what was run
  const between = (min, max) => round(min + (max - min) * next());
  return {
    between,
    /** Between two sizes, each decade as likely. */
    scale: (min, max) => round(min * (max / min) ** next()),
    whole: (min, max) => min + Math.floor((max - min + 1) * next()),
    chance: (share) => next() < share,
    one: (list) => list[Math.floor(list.length * next())],
    vector: (size) => [between(-size, size), between(-size, size), between(-size, size)],
  };
}

const BODIES = [
  ...["sphere", "box", "capsule", "cylinder", "cone"],
  ...["torus", "plane", "edge", "mesh-body"],
];
/** Every class that a scene may have. */
export const CLASSES = [
  ...["hung", "clamped", "moving-pins", "masses", "bodies", ...BODIES, "moving-bodies"],
  ...["self", "layers", "wind", "tube", "garment", "mesh-sheet"],
  ...["interactive", "stiff"],
];

/** m, between things that start apart. */
const APART = 0.01;

/**
 * @returns {{ input: object, classes: string[], files: Record<string, string> }} a scene in its input form, what it is made of, and the
 * files that it names
 */
export function randomScene(seed) {
  const r = generator(seed);
  const made = { r, name: `soak-${seed}`, classes: new Set(), files: {} };
  const { classes } = made;
  const size = r.between(0.1, 0.4);
  const sheets = [randomSheet(made, size, 0)];
  if (r.chance(0.2)) {
    classes.add("layers");
    sheets.push(randomSheet(made, size, 1));
    sheets[1].pose.position[2] = round(reach(sheets[0])[1] - reach(sheets[1])[0] + APART);
  }
  const input = {
    name: made.name,
    seed: r.whole(0, 1000),
    seconds: r.between(0.1, 0.5),
    record: { rate: r.one([20, 60, 120]) },
    ...(sheets.length === 1 ? { sheet: sheets[0] } : { sheets }),
    air: { drag: r.one([0, 0.1, 1]) },
  };
  r.chance(0.5); // kept, so that a seed still means the same scene
  if (r.chance(0.25)) {
    input.solver = "interactive";
    classes.add("interactive");
  }
  if (r.chance(0.15)) {
    classes.add("wind");
    input.air.wind = [r.between(-5, 5), r.between(-5, 5), 0];
    input.air.density = 1.2;
  }
  if (r.chance(0.5)) addPins(made, input, sheets[0]);
  if (r.chance(0.1)) {
    classes.add("masses");
    input.masses = [{ at: { sheet: 0, ...onSheet(sheets[0].shape) }, mass: r.scale(1e-4, 1e-2) }];
  }
  if (r.chance(0.6)) addBodies(made, input, size, sheets[0]);
  if (sheets.length > 1 || r.chance(0.3)) {
    input.contact = { self: true, friction: r.one([0, 0.3]) };
    classes.add("self");
  }
  return { input, classes: CLASSES.filter((name) => classes.has(name)), files: made.files };
}

function randomSheet(made, size, number) {
  const { r, classes } = made;
  const [points, [type, shape]] = [r.whole(40, 160), randomShape(made, size, number)];
  const stiffness = r.scale(1e-7, 1e-2);
  if (stiffness > 1e-3) classes.add("stiff");
  const isFlat = !["tube", "mesh", "garment"].includes(type);
  // edges of a tube are chords: half a radius long they are 1 % shorter than their arcs
  const sampling =
    type === "mesh"
      ? { type: "mesh" }
      : {
          type: type === "rectangle" ? r.one(["irregular", "grid"]) : "irregular",
          points: type === "tube" ? points + 140 : points,
        };
  return {
    name: `sheet${number}`,
    shape,
    sampling,
    material: {
      density: r.scale(0.03, 1),
      D: stiffness,
      thickness: r.one([2e-4, 1e-3]),
      ...(r.chance(0.3) ? { damping: r.scale(1e-4, 1e-2) } : {}),
      ...(r.chance(0.3) ? { poisson: r.between(0, 0.45) } : {}),
    },
    pose: {
      ...(isFlat ? {} : { type: "rest" }),
      position: [0, 0, 0],
      rotation: r.chance(0.5)
        ? [0, 0, 0]
        : [r.between(-40, 40), r.between(-40, 40), r.between(-180, 180)],
    },
    ...(r.chance(0.2) ? { velocity: [r.between(-1, 1), r.between(-1, 1), r.between(-2, 0)] } : {}),
  };
}

/** A shape whose middle is near the origin. */
function randomShape(made, size, number) {
  const { r, classes, files, name } = made;
  const type = r.one([
    ...["rectangle", "rectangle", "rectangle", "disc", "annulus", "polygon", "tube"],
    ...["garment", "mesh"],
  ]);
  if (type === "tube" || type === "garment") classes.add(type);
  const height = r.between(0.5 * size, 1.5 * size);
  switch (type) {
    case "rectangle":
      return [type, { type, width: size, height }];
    case "disc":
      return [type, { type, radius: round(size / 2) }];
    case "annulus":
      return [type, { type, inner: round(size / 5), outer: round(size / 2) }];
    case "polygon":
      return [type, { type, points: star(r, size) }];
    case "tube":
      return [type, { type, radius: round(size / 3), height: size }];
    case "garment":
      return [type, twoPanels(r, size, height)];
    default: {
      classes.add("mesh-sheet");
      const file = `${name}-sheet${number}.obj`;
      files[file] = domeMesh(size, r.between(0, 0.2), r.whole(6, 11));
      return [type, { type: "mesh", file }];
    }
  }
}

/** A polygon around its middle, every corner seen from there. */
function star(r, size) {
  const count = r.whole(4, 8);
  return Array.from({ length: count }, (_, k) => {
    const [angle, radius] = [(2 * Math.PI * k) / count, r.between(0.3 * size, 0.5 * size)];
    return [round(radius * Math.cos(angle)), round(radius * Math.sin(angle))];
  });
}

/** Two level rectangles side by side, welded or, with a gap, sewn in a tenth of a second. */
function twoPanels(r, size, height) {
  const [half, top] = [round(size / 2), round(height)];
  const gap = r.chance(0.5) ? 0 : 0.02;
  const panel = (name, from, to) => ({
    name,
    points: [
      [from, 0],
      [to, 0],
      [to, top],
      [from, top],
    ],
    edges: { side: from < 0 ? [1, 2] : [3, 0] },
    place: { position: [from < 0 ? -gap / 2 : gap / 2, 0, 0], rotation: [-90, 0, 0] },
  });
  return {
    type: "garment",
    panels: [panel("left", -half, 0), panel("right", 0, half)],
    seams: [{ from: "left:side", to: "right:side", reversed: true }],
    ...(gap > 0 ? { sewing: { seconds: 0.1 } } : {}),
  };
}

function addPins({ r, classes }, input, { shape, sampling }) {
  const rectangle = [
    { corner: "top-left", radius: 0.03 },
    { edge: "top" },
    { corner: "bottom-right", radius: 0.03 },
    { edges: ["left"] },
  ];
  const at = shape.type === "rectangle" ? r.one(rectangle) : { ...onSheet(shape), radius: 0.05 };
  classes.add("hung");
  const pin = { at: { sheet: 0, ...at } };
  if (r.chance(0.2) && sampling.type !== "mesh") {
    classes.add("clamped");
    pin.kind = "clamp";
  }
  if (r.chance(0.15)) pin.release = r.between(0.05, 0.3);
  input.pins = [pin];
  if (!r.chance(0.3)) return;
  classes.add("moving-pins");
  const last = { time: r.between(0.2, 0.5), translate: r.vector(0.1) };
  if (r.chance(0.5)) last.rotate = r.vector(45);
  pin.motion = { keys: [{ time: 0 }, last], smooth: true };
}

/** A place on a shape: in uv or, as those of a dome have gaps, by number. */
function onSheet({ type, inner }) {
  if (type === "mesh") return { points: [14] };
  return { nearest: type === "annulus" ? [round(1.5 * inner), 0] : [0.01, 0.02] };
}

/** A body just below the sheet, so that it is met within the time, and a floor below that. */
function addBodies(made, input, size, sheet) {
  const { r, classes } = made;
  classes.add("bodies");
  const type = r.one(BODIES);
  classes.add(type);
  const [body, half, radius] = randomBody(made, type, size);
  const isTurned = r.chance(0.3) && type !== "plane" && type !== "edge";
  const isMoving = r.chance(0.35) && type !== "plane";
  const turns = isMoving && type !== "edge" && r.chance(0.4);
  const low = reach(sheet)[0];
  const top = round(low - APART - (isTurned || turns ? radius : half));
  const [x, y] = middle(sheet);
  const friction = r.one([0, 0.3, 0.8]);
  const place = [round(x + r.between(-0.03, 0.03)), round(y + r.between(-0.03, 0.03)), top];
  const collider = { body, position: place, friction };
  if (isTurned) collider.rotation = r.vector(90);
  if (r.chance(0.15)) collider.offset = r.between(1e-4, 2e-3);
  input.colliders = [collider];
  if (type !== "plane" && type !== "edge") {
    const position = [0, 0, round(top - radius - 0.1)];
    input.colliders.push({ body: { type: "plane", normal: [0, 0, 1] }, position, friction });
  }
  if (!isMoving) return;
  classes.add("moving-bodies");
  const last = { time: r.between(0.3, 0.6), translate: [...r.vector(0.1)] };
  last.translate[2] = r.between(0, 0.15);
  if (turns) last.rotate = r.vector(90);
  collider.motion = { keys: [{ time: 0 }, last], smooth: true, pivot: place };
  if (turns && r.chance(0.5))
    collider.motion.spin = { axis: [0, 0, 1], rate: r.between(-360, 360) };
}

/** A body, how far it reaches above its middle as it stands, and how far in any direction. */
function randomBody({ r, files, name }, type, size) {
  const radius = r.between(0.03, 0.1);
  const rounding = 0.005;
  const length = round(size / 2);
  const across = (...sides) => Math.hypot(...sides);
  switch (type) {
    case "sphere":
      return [{ type, radius }, radius, radius];
    case "box": {
      const sides = [2 * radius, 3 * radius, radius].map(round);
      return [{ type, size: sides, rounding }, radius / 2, across(...sides) / 2];
    }
    case "capsule":
      return [{ type, radius: round(radius / 2), length: size }, (size + radius) / 2, size];
    case "cylinder":
    case "cone":
      return [{ type, radius, length, rounding }, length / 2, across(radius, length / 2)];
    case "torus":
      return [{ type, major: radius, minor: 0.01 }, 0.01, radius + 0.01];
    case "plane": {
      // leans by up to 11°: no sheet reaches farther from its middle than 1.1 sizes
      const normal = [r.between(-0.2, 0.2), r.between(-0.2, 0.2), 1];
      return [{ type, normal }, 0.25 * size, 0];
    }
    case "edge":
      return [{ type, radius: r.between(0.005, 0.05) }, 0, 0];
    default: {
      const file = `${name}-body.obj`;
      const kind = r.one(["ball", "wedge", "bowl"]);
      files[file] = kind === "wedge" ? wedgeMesh(radius) : ballMesh(radius, kind === "bowl");
      return [{ type: "mesh", file, closed: kind !== "bowl" }, radius, radius];
    }
  }
}

/** Points that a sheet lies between, in its own coordinates. */
function corners({ shape }) {
  const box = (u, v, z = [0]) => z.flatMap((c) => u.flatMap((a) => v.map((b) => [a, b, c])));
  const span = (x) => [-x, x];
  switch (shape.type) {
    case "rectangle":
      return box([0, shape.width], [0, shape.height]);
    case "disc":
      return box(span(shape.radius), span(shape.radius));
    case "annulus":
      return box(span(shape.outer), span(shape.outer));
    case "polygon":
      return shape.points.map(([u, v]) => [u, v, 0]);
    case "tube":
      return box(span(shape.radius), span(shape.radius), [0, shape.height]);
    case "garment":
      return shape.panels.flatMap(({ points, place }) =>
        points.map(([u, v]) => [u + place.position[0], v, 0]),
      );
    default:
      return box(span(0.2), span(0.2), [0, 0.06]); // the largest dome
  }
}

/** m, lowest and highest z that a sheet starts at. */
function reach({ shape, pose }) {
  const heights = corners({ shape }).map((x) => turned(x, pose.rotation)[2] + pose.position[2]);
  return [Math.min(...heights), Math.max(...heights)];
}

/** x and y of the middle of a sheet. */
function middle({ shape, pose }) {
  const all = corners({ shape }).map((x) => turned(x, pose.rotation));
  return [0, 1].map((c) => all.reduce((sum, x) => sum + x[c] / all.length, 0) + pose.position[c]);
}

/** x turned by a rotation vector in degrees. */
function turned(x, degrees) {
  const angle = (Math.hypot(...degrees) * Math.PI) / 180;
  if (angle === 0) return x;
  const a = degrees.map((d) => (d * Math.PI) / 180 / angle);
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const along = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  return x.map((own, c) => {
    const [d, e] = [(c + 1) % 3, (c + 2) % 3];
    return cosine * own + sine * (a[d] * x[e] - a[e] * x[d]) + (1 - cosine) * along * a[c];
  });
}

function round(x) {
  return Number(x.toFixed(5));
}

/** Simpler scenes that may still show the same failure, the simplest first. */
export function simpler(input) {
  const without = (...names) => {
    const copy = structuredClone(input);
    for (const name of names) delete copy[name];
    return copy;
  };
  const changed = (change) => {
    const copy = structuredClone(input);
    change(copy, copy.sheet ?? copy.sheets[0]);
    return copy;
  };
  const found = [];
  if (input.sheets) found.push(...input.sheets.map((sheet) => ({ ...without("sheets"), sheet })));
  for (const name of ["colliders", "pins", "masses", "contact", "air", "solver", "record"])
    if (input[name] !== undefined) found.push(without(name));
  for (let k = 0; k < (input.colliders?.length ?? 0); k++)
    found.push(changed((copy) => copy.colliders.splice(k, 1)));
  for (const list of ["colliders", "pins"])
    for (let k = 0; k < (input[list]?.length ?? 0); k++)
      for (const field of ["motion", "rotation", "offset", "release", "kind"])
        if (input[list][k][field] !== undefined)
          found.push(changed((copy) => delete copy[list][k][field]));
  if (input.seconds > 0.05)
    found.push({ ...input, seconds: Number((input.seconds / 2).toPrecision(3)) });
  const { sampling, velocity, pose, shape, material } = input.sheet ?? input.sheets[0];
  if (velocity) found.push(changed((_, sheet) => delete sheet.velocity));
  for (const field of ["damping", "poisson"])
    if (material[field] !== undefined)
      found.push(changed((_, sheet) => delete sheet.material[field]));
  if (pose?.rotation?.some((x) => x !== 0))
    found.push(changed((_, sheet) => delete sheet.pose.rotation));
  if (sampling.points > 30)
    found.push(
      changed(
        (_, sheet) => (sheet.sampling.points = Math.max(20, Math.round(sampling.points / 2))),
      ),
    );
  if (shape.type !== "rectangle" && !input.pins)
    found.push(
      changed((_, sheet) => {
        sheet.shape = { type: "rectangle", width: 0.2, height: 0.2 };
        sheet.sampling = { points: sampling.points ?? 60 };
        delete sheet.pose.type;
      }),
    );
  return found;
}

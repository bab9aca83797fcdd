/**
 * Random scenes for the soak: the same for the same seed, on every machine. Each has a class for every feature that it uses,
 * so that a soak can leave out by name what is known to fail.
 */

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
  return {
    between: (min, max) => round(min + (max - min) * next()),
    /** Between two sizes, each decade as likely. */
    scale: (min, max) => round(min * (max / min) ** next()),
    whole: (min, max) => min + Math.floor((max - min + 1) * next()),
    chance: (share) => next() < share,
    one: (list) => list[Math.floor(list.length * next())],
  };
}

/** Every class that a scene may have. */
export const CLASSES = [
  "hung",
  "bodies",
  "torus",
  "moving-bodies",
  "self",
  "layers",
  "moving-pins",
  "wind",
  "tube",
  "interactive",
  "stiff",
];

/**
 * @returns {{ input: object, classes: string[] }} a scene in its input form, and what it is made of
 */
export function randomScene(seed) {
  const r = generator(seed);
  const classes = new Set();
  const size = r.between(0.1, 0.4);
  const sheets = [randomSheet(r, size, classes, 0)];
  if (r.chance(0.2)) {
    classes.add("layers");
    sheets.push(randomSheet(r, size, classes, 1));
  }
  const input = {
    name: `soak-${seed}`,
    seed: r.whole(0, 1000),
    seconds: r.between(0.1, 0.5),
    record: { rate: r.one([20, 60, 120]) },
    ...(sheets.length === 1 ? { sheet: sheets[0] } : { sheets }),
    air: { drag: r.one([0, 0.1, 1]) },
  };
  if (r.chance(0.25)) {
    input.solver = "interactive";
    classes.add("interactive");
  }
  if (r.chance(0.15)) {
    classes.add("wind");
    input.air.wind = [r.between(-5, 5), r.between(-5, 5), 0];
    input.air.density = 1.2;
  }
  if (r.chance(0.5) && sheets.length === 1) addPins(r, input, sheets[0], classes);
  if (r.chance(0.5)) addBodies(r, input, size, lowest(sheets[0], size), classes);
  if (sheets.length > 1 || r.chance(0.3)) {
    input.contact = { self: true, friction: r.one([0, 0.3]) };
    classes.add("self");
  }
  if (classes.size === 0) classes.add("hung");
  return { input, classes: [...classes] };
}

function randomSheet(r, size, classes, number) {
  const kind = r.one(["rectangle", "rectangle", "disc", "annulus", "polygon", "tube"]);
  const shapes = {
    rectangle: () => ({
      type: "rectangle",
      width: size,
      height: r.between(0.5 * size, 1.5 * size),
    }),
    disc: () => ({ type: "disc", radius: size / 2 }),
    annulus: () => ({ type: "annulus", inner: size / 5, outer: size / 2 }),
    polygon: () => ({ type: "polygon", points: star(r, size) }),
    tube: () => ({ type: "tube", radius: size / 3, height: size }),
  };
  if (kind === "tube") classes.add("tube");
  const stiffness = r.scale(1e-7, 1e-2);
  if (stiffness > 1e-3) classes.add("stiff");
  // edges of a tube are chords: half a radius long they are 1 % shorter than their arcs
  const points = kind === "tube" ? r.whole(200, 260) : r.whole(40, 160);
  return {
    name: `sheet${number}`,
    shape: shapes[kind](),
    sampling: { type: kind === "rectangle" ? r.one(["irregular", "grid"]) : "irregular", points },
    material: { density: r.scale(0.03, 1), D: stiffness, thickness: r.one([2e-4, 1e-3]) },
    // above all bodies; layers keep apart whatever way they are turned
    pose: {
      ...(kind === "tube" ? { type: "rest" } : {}),
      position: [-size / 2, -size / 2, 4 * size * number],
      rotation: r.chance(0.5)
        ? [0, 0, 0]
        : [r.between(-40, 40), r.between(-40, 40), r.between(-180, 180)],
    },
    ...(r.chance(0.2) ? { velocity: [r.between(-1, 1), r.between(-1, 1), r.between(-2, 0)] } : {}),
  };
}

/** A polygon around its middle, every corner seen from there. */
function star(r, size) {
  const count = r.whole(4, 8);
  return Array.from({ length: count }, (_, k) => {
    const [angle, radius] = [(2 * Math.PI * k) / count, r.between(0.3 * size, 0.5 * size)];
    return [
      Number((radius * Math.cos(angle)).toFixed(4)),
      Number((radius * Math.sin(angle)).toFixed(4)),
    ];
  });
}

function addPins(r, input, sheet, classes) {
  const at =
    sheet.shape.type === "rectangle"
      ? r.one([
          { corner: "top-left", radius: 0.03 },
          { edge: "top" },
          { corner: "bottom-right", radius: 0.03 },
        ])
      : { nearest: [0.01, 0.02], radius: 0.05 };
  classes.add("hung");
  input.pins = [{ at }];
  if (!r.chance(0.3)) return;
  classes.add("moving-pins");
  const translate = [r.between(-0.1, 0.1), r.between(-0.1, 0.1), r.between(-0.1, 0.1)];
  input.pins[0].motion = {
    keys: [{ time: 0 }, { time: r.between(0.2, 0.5), translate }],
    smooth: true,
  };
}

/** m, below which no point of a sheet starts: a flat one lies in its plane, others reach no farther than their diagonal. */
function lowest({ shape, pose }, size) {
  const isFlat = shape.type !== "tube" && pose.rotation.every((x) => x === 0);
  return isFlat ? 0 : -1.9 * size;
}

function addBodies(r, input, size, low, classes) {
  classes.add("bodies");
  const radius = r.between(0.03, 0.1);
  // each with half its height
  const [body, half] = r.one([
    [{ type: "sphere", radius }, radius],
    [{ type: "box", size: [radius * 2, radius * 3, radius], rounding: 0.005 }, radius / 2],
    [{ type: "capsule", radius: radius / 2, length: size }, (size + radius) / 2],
    [{ type: "cylinder", radius, length: size / 2, rounding: 0.005 }, size / 4],
    [{ type: "cone", radius, length: size / 2, rounding: 0.005 }, size / 4],
    [{ type: "torus", major: radius, minor: 0.01 }, 0.01],
  ]);
  if (body.type === "torus") classes.add("torus");
  const friction = r.one([0, 0.3, 0.8]);
  // just below the sheet, so that it is met within the time
  const z = Number((low - half - 0.01).toFixed(4));
  const collider = { body, position: [0, 0, z], friction };
  const floor = {
    body: { type: "plane", normal: [0, 0, 1] },
    position: [0, 0, z - half - 0.1],
    friction,
  };
  input.colliders = [collider, floor];
  if (!r.chance(0.3)) return;
  classes.add("moving-bodies");
  const translate = [0, 0, r.between(0, 0.15)];
  collider.motion = { keys: [{ time: 0 }, { time: r.between(0.3, 0.6), translate }], smooth: true };
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
  for (const name of ["colliders", "pins", "contact", "air", "solver", "record"])
    if (input[name] !== undefined) found.push(without(name));
  for (let k = 0; k < (input.colliders?.length ?? 0); k++)
    found.push(changed((copy) => copy.colliders.splice(k, 1)));
  for (const list of ["colliders", "pins"])
    for (let k = 0; k < (input[list]?.length ?? 0); k++)
      if (input[list][k].motion) found.push(changed((copy) => delete copy[list][k].motion));
  if (input.seconds > 0.05)
    found.push({ ...input, seconds: Number((input.seconds / 2).toPrecision(3)) });
  const { sampling, velocity, pose, shape } = input.sheet ?? input.sheets[0];
  if (velocity) found.push(changed((_, sheet) => delete sheet.velocity));
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
      changed((_, sheet) => (sheet.shape = { type: "rectangle", width: 0.2, height: 0.2 })),
    );
  return found;
}

/** The scene document of the studio: plain data, pure changes, a history that gives back what it was given. */
import { describe, expect, test } from "vitest";
import { createSimulation, parseScene, type SceneInput } from "../../src/index.ts";
import { libraryScene } from "../../src/scenes.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { startPose } from "../../src/sheet/pose.ts";
import { BODY_KINDS, bodyUnder, floorHeight } from "../../studio/src/document/bodies.ts";
import {
  addBody,
  addPin,
  editBody,
  editPin,
  keysOf,
  removeBody,
  removePin,
  toggleSeam,
  translationAt,
  withKeys,
  withMaterial,
  withoutGrain,
} from "../../studio/src/document/edits.ts";
import {
  committed,
  createHistory,
  type History,
  redone,
  sealed,
  undone,
} from "../../studio/src/document/history.ts";
import { defaultsOf, NEW_KINDS, newScene } from "../../studio/src/document/new-scene.ts";
import {
  arranged,
  checkSeam,
  drawnPattern,
  flatPattern,
  grainAt,
  grainOf,
  guessedPlaces,
  withGrain,
} from "../../studio/src/document/pattern.ts";
import { readText, sceneText } from "../../studio/src/document/text.ts";

/** Where the sheets of a scene start, [3n] m. */
function startOf(input: SceneInput): Float64Array {
  const { sheets, seed } = parseScene(input, "scene");
  const sheet = createSheet(sheets, seed);
  return startPose(sheet, sheets, seed).Y as Float64Array;
}

describe("history", () => {
  test("fifty changes and fifty steps back give the same object, fifty on the last one", () => {
    const first = newScene(defaultsOf("rectangle"));
    let history: History<SceneInput> = createHistory(first);
    for (let k = 0; k < 50; k++) {
      const kind = BODY_KINDS[k % 6].kind;
      const { body, position } = bodyUnder(kind, [0, 0, 1, 1, 1, 1], 0, []);
      history = committed(history, addBody(history.present, body, { position }));
    }
    const last = history.present;
    for (let k = 0; k < 50; k++) history = undone(history);
    expect(history.present).toBe(first);
    for (let k = 0; k < 50; k++) history = redone(history);
    expect(history.present).toBe(last);
  });

  test("changes with one word are one step; another word or a seal ends it", () => {
    let history = createHistory(0);
    for (const x of [1, 2, 3]) history = committed(history, x, "slider");
    expect(undone(history).present).toBe(0);
    history = committed(sealed(history), 4, "slider");
    expect(undone(history).present).toBe(3);
    history = committed(history, 5, "other");
    expect(undone(history).present).toBe(4);
  });

  test("a change after steps back drops what could have been redone", () => {
    let history = createHistory("a");
    history = committed(committed(history, "b"), "c");
    history = committed(undone(history), "d");
    expect(history.future).toEqual([]);
    expect(redone(history).present).toBe("d");
    expect(undone(undone(undone(history))).present).toBe("a");
  });
});

describe("new scenes", () => {
  test.each(NEW_KINDS.map(({ kind }) => kind))("a new %s is a scene, above its floor", (kind) => {
    const scene = newScene(defaultsOf(kind));
    const P = startOf(scene);
    expect(P.length / 3).toBeGreaterThan(300);
    let lowest = Number.POSITIVE_INFINITY;
    for (let k = 2; k < P.length; k += 3) lowest = Math.min(lowest, P[k]);
    expect(lowest).toBeGreaterThan(0.1);
  });

  test("a strip upright stands on its lower edge at the height asked for", () => {
    const P = startOf(newScene({ ...defaultsOf("strip"), upright: true, above: 0.3 }));
    const z = Array.from({ length: P.length / 3 }, (_, i) => P[3 * i + 2]);
    // the noise that lets it choose a side is along z: a tenth of a millimetre
    expect(Math.min(...z)).toBeCloseTo(0.3, 3);
    expect(Math.max(...z)).toBeCloseTo(0.55, 3);
  });

  test.each(BODY_KINDS.map(({ kind }) => kind))("a %s is put where no point is inside", (kind) => {
    const scene = newScene({ ...defaultsOf("disc"), floor: kind !== "plane" });
    const { body, position } = bodyUnder(kind, startOf(scene), floorHeight(scene), []);
    const parsed = parseScene(addBody(scene, body, { position }), "scene");
    const collider = parsed.colliders.at(-1)!;
    expect(createSimulation(parsed).warnings).toEqual([]);
    if (collider.body.type === "cylinder")
      // it stands on the floor and ends 6 mm under the cloth
      expect(collider.body.length).toBeCloseTo(0.744, 3);
  });
});

describe("a body for a garment", () => {
  const scene = newScene(defaultsOf("garment"));
  const { sheets, seed } = parseScene(scene, "scene");
  const { triangles } = createSheet(sheets, seed);
  const start = startOf(scene);
  const { body, position } = bodyUnder("capsule", start, 0, triangles);

  test("it stands on the floor inside the panels, too thick for the waist and too thin for the hem", () => {
    if (body.type !== "capsule") throw new Error("a capsule was asked for");
    expect(2 * Math.PI * body.radius).toBeGreaterThan(0.7);
    expect(2 * Math.PI * body.radius).toBeLessThan(0.7 * 1.25);
    expect(position[2] - body.length / 2 - body.radius).toBeCloseTo(0, 3);
    for (let i = 0; i < start.length; i += 3)
      expect(Math.hypot(start[i], start[i + 1])).toBeGreaterThan(body.radius + 0.01);
  });

  test("hem and waist of a skirt are as long as they were asked to be, and its seams match", () => {
    const { shape } = scene.sheet!;
    if (shape.type !== "garment") throw new Error("a skirt is a garment");
    const flat = flatPattern(shape);
    const edge = (id: string) =>
      flat.panels.flatMap(({ edges }) => edges).find((one) => one.id === id)!;
    expect(2 * edge("front:hem").length).toBeCloseTo(1.8, 2);
    expect(2 * edge("front:waist").length).toBeCloseTo(0.7, 2);
    expect(edge("front:right").length).toBeCloseTo(0.5, 3);
    expect(edge("front:right").length).toBeCloseTo(edge("back:left").length, 4);
  });
});

describe("changes", () => {
  const base = newScene(defaultsOf("rectangle"));

  test("bodies come, change and go by their place; names stay different", () => {
    let scene = addBody(base, { type: "sphere", radius: 0.1 }, { position: [0, 0, 0.3] });
    scene = addBody(scene, { type: "sphere", radius: 0.2 }, {});
    expect(scene.colliders?.map(({ name }) => name)).toEqual(["floor", "sphere", "sphere-2"]);
    scene = editBody(scene, 1, (c) => ({ ...c, friction: 0.9 }));
    expect(scene.colliders?.[1].friction).toBe(0.9);
    scene = removeBody(scene, 1);
    expect(scene.colliders?.map(({ name }) => name)).toEqual(["floor", "sphere-2"]);
    expect(base.colliders?.length).toBe(1); // nothing was changed in place
  });

  test("keyframes are kept in order of time, and without any there is no motion", () => {
    let scene = addPin(base, { at: { edge: "left" }, kind: "clamp" }, "left");
    const keys = [
      { time: 2, translate: [-0.1, 0, 0] as [number, number, number] },
      { time: 1, translate: [0, 0, 0.2] as [number, number, number] },
    ];
    scene = editPin(scene, 0, (pin) => withKeys(pin, keys));
    expect(keysOf(scene.pins![0]).map(({ time }) => time)).toEqual([1, 2]);
    const [{ motion }] = parseScene(scene, "scene").pins;
    expect(motion?.keys.at(-1)?.translate).toEqual([-0.1, 0, 0]);
    expect(translationAt(keysOf(scene.pins![0]), 1.5)).toEqual([-0.05, 0, 0.1]);
    scene = editPin(scene, 0, (pin) => withKeys(pin, []));
    expect(scene.pins![0]).not.toHaveProperty("motion");
    expect(removePin(scene, 0).pins).toEqual([]);
  });

  test("a material by name takes values beside its name", () => {
    const paper = newScene({ ...defaultsOf("rectangle"), material: "paper" });
    const [{ material }] = parseScene(withMaterial(paper, { thickness: 2e-4 }), "scene").sheets;
    expect(material.density).toBe(0.08);
    expect(material.thickness).toBe(2e-4);
  });
});

describe("the scene as text", () => {
  test.each(["pinned-cloth", "tunic", "drape-box", "skin-pinch", "tank-top"])(
    "%s goes to YAML and back unchanged",
    (name) => {
      const input = libraryScene(name)!.input();
      const { input: back, faults } = readText(sceneText(input));
      expect(faults).toEqual([]);
      expect(JSON.parse(JSON.stringify(back))).toEqual(JSON.parse(JSON.stringify(input)));
    },
  );

  test("vectors stand in one line, and a fault names its line", () => {
    const text = sceneText(newScene(defaultsOf("rectangle")));
    expect(text).toContain("position: [-0.5, -0.5, 0.75]");
    const wrong = text.replace("width: 1", "width: -1");
    const { input, faults } = readText(wrong);
    expect(input).toBe(null);
    const line = wrong.split("\n").findIndex((l) => l.includes("width: -1")) + 1;
    expect(faults[0].line).toBe(line);
    expect(faults[0].path).toBe("sheet.shape.width");
  });
});

describe("patterns", () => {
  const skirt = newScene(defaultsOf("garment"));
  const shape = skirt.sheet!.shape;
  if (shape.type !== "garment") throw new Error("a skirt is a garment");

  test("panels lie side by side, their edges as long as drawn", () => {
    const flat = flatPattern(shape);
    expect(flat.panels.map(({ name }) => name)).toEqual(["front", "back"]);
    const [front, back] = flat.panels;
    const right = front.edges.find(({ name }) => name === "right")!;
    const { points, edges } = shape.panels![0];
    const [[x0, y0], [x1, y1]] = edges!.right.map((k) => points[k]);
    expect(right.length).toBeCloseTo(Math.hypot(x1 - x0, y1 - y0), 12);
    const reach = Math.max(...front.outline.map(([x]) => x));
    expect(Math.min(...back.outline.map(([x]) => x))).toBeGreaterThan(reach);
  });

  test("drawn larger, panels keep their places and edges their lengths", () => {
    const flat = flatPattern(shape);
    const drawn = drawnPattern(flat, 280);
    expect(Math.max(drawn.width, drawn.height)).toBeCloseTo(280, 9);
    const [own, large] = [flat.panels[1].outline[3], drawn.panels[1].outline[3]];
    for (const c of [0, 1]) expect(large[c] / own[c]).toBeCloseTo(280 / flat.width, 9);
    expect(drawn.panels[0].edges[1].length).toBe(flat.panels[0].edges[1].length);
  });

  test("two seams make one garment, a second click takes a seam apart", () => {
    let sewn = toggleSeam(shape, { from: "front:right", to: "back:left", reversed: true });
    sewn = toggleSeam(sewn, { from: "front:left", to: "back:right", reversed: true });
    const scene: SceneInput = { ...skirt, sheet: { ...skirt.sheet!, shape: sewn } };
    expect(startOf(scene).length).toBeGreaterThan(1000);
    const again = toggleSeam(sewn, { from: "back:left", to: "front:right", reversed: true });
    expect(again.seams).toEqual([{ from: "front:left", to: "back:right", reversed: true }]);
  });

  test("a grain is a line: whatever is said it lies within a right angle of upright, and along it is said by nothing", () => {
    const [front] = shape.panels!;
    for (const [said, read] of [
      [0, 0],
      [45, 45],
      [90, 90],
      [-90, 90],
      [95, -85],
      [180, 0],
      [-200, -20],
    ]) {
      expect(grainOf(withGrain(front, said))).toBe(read);
    }
    expect(withGrain({ ...front, grain: 30 }, 360)).toEqual(front);
    expect(grainOf({ grain: { radians: Math.PI / 6 } })).toBe(30);
    // v is down in the drawing: up is 0°, up and left 45°, right 90°
    expect(grainAt([1, 1], [1, 0], 5)).toBe(0);
    expect(grainAt([1, 1], [0.02, 0], 5)).toBe(45);
    expect(grainAt([1, 1], [2, 1.01], 5)).toBe(90);
    const turned = { ...shape, panels: [{ ...front, grain: 30 }, ...shape.panels!.slice(1)] };
    expect(flatPattern(turned).panels.map(({ grain }) => grain)).toEqual([30, 0]);
    // what decides whether a run can go on does not see it
    expect(JSON.stringify(withoutGrain(turned))).toBe(JSON.stringify(withoutGrain(shape)));
  });

  test("a seam says how much its lengths differ, and when it is crossed", () => {
    const flat = flatPattern(shape);
    const even = checkSeam(flat, { from: "front:right", to: "back:left", reversed: true });
    expect(even.ease).toBeLessThan(1e-12);
    expect(even.crossed).toBe(false);
    const uneven = checkSeam(flat, { from: "front:hem", to: "back:waist" });
    expect(uneven.ease).toBeCloseTo(1 - uneven.to!.length / uneven.from!.length, 12);
    expect(uneven.ease).toBeCloseTo(1 - 0.7 / 1.8, 2);
    expect(uneven.crossed).toBe(true);
  });

  test("guessed places: fronts before the axis, backs behind it, and none inside another", () => {
    const square = (name: string) => ({
      name,
      points: [
        [0, 0],
        [0.3, 0],
        [0.3, 0.4],
        [0, 0.4],
      ] as [number, number][],
    });
    const placed = guessedPlaces([square("Front"), square("Back"), square("pocket")]);
    const P = startOf({
      sheet: {
        shape: { type: "garment", panels: placed },
        sampling: { points: 300 },
      },
    });
    let [before, behind] = [0, 0];
    for (let k = 1; k < P.length; k += 3) P[k] < 0 ? before++ : behind++;
    expect(before).toBeGreaterThan(behind); // front and pocket
    expect(behind).toBeGreaterThan(60);
    expect(placed[0].place?.wrap).not.toBe(placed[2].place?.wrap);
  });

  test("a narrow panel is put flat at its distance from the axis", () => {
    const panel = arranged(
      {
        name: "strap",
        points: [
          [-0.02, 0],
          [0.02, 0],
          [0.02, 0.3],
          [-0.02, 0.3],
        ],
      },
      "right",
      [0.1, 0],
      0.2,
    );
    expect(panel.place).toEqual({ position: [0.3, 0, 0], rotation: [0, 0, 90], wrap: null });
  });
});

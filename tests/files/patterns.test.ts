import { describe, expect, test } from "vitest";
import { parseDxf } from "../../src/files/dxf.ts";
import { FileError } from "../../src/files/file-error.ts";
import { parseGarmentCode } from "../../src/files/garment-code.ts";
import { parsePattern } from "../../src/files/read-pattern.ts";
import { parseSvg } from "../../src/files/svg.ts";
import type { Panel, Vec2 } from "../../src/scene/scene.ts";
import { garmentPart } from "../../src/sheet/garment.ts";
import { createRandom } from "../../src/sheet/random.ts";

function area(points: readonly Vec2[]): number {
  let twice = 0;
  points.forEach(([x, y], k) => {
    const [u, v] = points[(k + 1) % points.length];
    twice += x * v - y * u;
  });
  return twice / 2;
}

/** Length of a named edge along the outline. */
function edgeLength({ points, edges }: Panel, name: string): number {
  const [first, last] = edges[name];
  let sum = 0;
  for (let k = first; k !== last; k = (k + 1) % points.length) {
    const [a, b] = [points[k], points[(k + 1) % points.length]];
    sum += Math.hypot(b[0] - a[0], b[1] - a[1]);
  }
  return sum;
}

const svg = (body: string, head = 'viewBox="0 0 1000 1000"') =>
  `<?xml version="1.0"?>\n<svg ${head}>\n${body}\n</svg>`;

describe("SVG", () => {
  test("a square of 100 mm: its id is the panel, each line an edge, counter-clockwise with v up", () => {
    const [panel] = parseSvg(svg('<path id="front" d="M 10 20 h 100 v 100 h -100 z"/>'));
    expect(panel.name).toBe("front");
    expect(area(panel.points)).toBeCloseTo(0.01, 12);
    expect(Object.keys(panel.edges)).toEqual(["e0", "e1", "e2", "e3"]);
    for (const name of ["e0", "e1", "e2", "e3"])
      expect(edgeLength(panel, name)).toBeCloseTo(0.1, 12);
    // e0 is the first line drawn: the top one, since y is down in SVG
    const [a, b] = panel.edges.e0.map((k) => panel.points[k]);
    expect(a[1]).toBeCloseTo(0.05, 12);
    expect(b[1]).toBeCloseTo(0.05, 12);
    expect(panel.place.position[0]).toBeCloseTo(0.06, 12);
    expect(panel.place.position[2]).toBeCloseTo(-0.07, 12);
  });

  test.each([
    ['width="100mm" height="100mm" viewBox="0 0 1000 1000"', 1e-4],
    ['width="10cm" height="10cm" viewBox="0 0 10 10"', 1e-2],
    ['width="1in" height="1in" viewBox="0 0 96 96"', 0.0254 / 96],
    ['width="96" height="96"', 0.0254 / 96],
    ['viewBox="0 0 5 5"', 1e-3],
    ['width="100%" height="100%" viewBox="0 0 5 5"', 1e-3],
  ])("%s means %f m a unit", (head, unit) => {
    const [panel] = parseSvg(svg('<rect width="200" height="100"/>', head));
    expect(area(panel.points)).toBeCloseTo(20000 * unit * unit, 12);
  });

  test("curves: a circle, an ellipse and arcs have the areas and lengths of theirs", () => {
    // polylines lie inside by at most 0.1 mm and turn by at most 10°: 0.3 % of the area at 10° steps
    const [circle, ellipse, pie, wave] = parseSvg(
      svg(
        '<circle id="c" cx="900" cy="900" r="200"/><ellipse id="e" rx="100" ry="50"/>' +
          '<path id="p" d="M0 0 L200 0 A200 200 0 0 1 0 200 Z"/>' +
          '<path id="w" d="M0 0 C 0 100 100 100 100 0 Q 150 -100 200 0 T 300 0 L 300 300 H 0 Z"/>',
      ),
    );
    expect(area(circle.points) / (Math.PI * 0.04)).toBeCloseTo(1, 2);
    expect(area(ellipse.points) / (Math.PI * 0.005)).toBeCloseTo(1, 2);
    expect(area(pie.points) / (Math.PI * 0.01)).toBeCloseTo(1, 2);
    expect(Object.keys(pie.edges)).toEqual(["e0", "e1", "e2"]);
    expect(edgeLength(pie, "e1") / (0.1 * Math.PI)).toBeCloseTo(1, 3);
    expect(Object.keys(circle.edges).length).toBe(4);
    expect(Object.keys(wave.edges).length).toBe(6);
    expect(edgeLength(wave, "e1")).toBeCloseTo(edgeLength(wave, "e2"), 12); // T mirrors Q
  });

  test("groups move and turn what they hold; hidden things and those that begin with _ are left out", () => {
    const panels = parseSvg(
      svg(
        '<defs><path id="no" d="M0 0h1v1z"/></defs><g transform="translate(100 0) rotate(90)"><g transform="scale(2)">' +
          '<polygon id="a" points="0,0 10,0 10,20 0,20"/></g></g>' +
          '<!-- <path d="M0 0h9v9z"/> --><path id="_grain" d="M0 0 L 10 10"/><g id="_notes"><path d="M1 1 L2 2"/></g>' +
          '<path style="display:none" d="M0 0 L1 1"/><line x1="0" x2="5"/><text>free</text>',
      ),
    );
    expect(panels.map((panel) => panel.name)).toEqual(["a"]);
    expect(area(panels[0].points)).toBeCloseTo(8e-4, 12);
    // (0…10, 0…20)·2 turned by 90° clockwise on paper, then to x = 100: u from 60 to 100 mm, v from 0 down to −20
    expect(panels[0].place.position[0]).toBeCloseTo(0.08, 12);
    expect(panels[0].place.position[2]).toBeCloseTo(-0.01, 12);
  });

  test("a second ring in a path is a hole; one beside it is a panel of its own", () => {
    const panels = parseSvg(
      svg('<path id="a" d="M0 0h100v100h-100z M20 20h10v10h-10z M200 0h50v50h-50z"/>'),
    );
    expect(panels.map((panel) => [panel.name, panel.holes.length])).toEqual([
      ["a", 1],
      ["a-2", 0],
    ]);
    expect(Math.abs(area(panels[0].holes[0]))).toBeCloseTo(1e-4, 12);
  });

  test.each([
    [
      '<path id="front" d="M0 0 h100 v100 h-90"/>',
      /SVG, drawing: has no closed shape \("front" is open: .* 100.50 mm away: left out\)/,
    ],
    ['<path id="x" d="M0 0 h100 z"/>', /has no closed shape \("x" encloses nothing: left out\)/],
    ['<path id="x" d="M0 0 banana"/>', /SVG, line 3: d="M0 0 banana"/],
    ['<rect width="a" height="3"/>', /SVG, line 3: width="a"; needs a number/],
    ["", /SVG, drawing: has no closed shape/],
  ])("%s is refused: %s", (body, message) => {
    expect(() => parseSvg(svg(body))).toThrow(FileError);
    expect(() => parseSvg(svg(body))).toThrow(message);
  });

  test("two panels of an SVG, sewn at their sides, are one tube", () => {
    const panels = parseSvg(
      svg(
        '<path id="front" d="M0 0 h200 v300 h-200 z"/><path id="back" d="M300 0 h200 v300 h-200 z"/>',
      ),
    );
    const seams = [
      { from: "front:e1", to: "back:e3", reversed: true },
      { from: "front:e3", to: "back:e1", reversed: true },
    ];
    const sampling = { type: "irregular", angle: 0, points: 200 } as const;
    const part = garmentPart({ panels, seams, sewing: { seconds: 0 } }, sampling, createRandom(1));
    // a tube has as many triangles' edges that are on a boundary as its two rims: V − E + F = 0
    const edges = new Map<string, number>();
    for (let t = 0; t < part.triangles.length; t += 3)
      for (let k = 0; k < 3; k++) {
        const [a, b] = [part.triangles[t + k], part.triangles[t + ((k + 1) % 3)]].sort(
          (x, y) => x - y,
        );
        edges.set(`${a} ${b}`, (edges.get(`${a} ${b}`) ?? 0) + 1);
      }
    expect(part.rest.length / 3 - edges.size + part.triangles.length / 3).toBe(0);
  });

  describe("as people draw them", () => {
    const read = (body: string) => {
      const notes: string[] = [];
      const panels = parseSvg(svg(body), { onNote: (note) => notes.push(note) });
      return { panels, notes, names: panels.map(({ name }) => name) };
    };

    test("notches, text and hidden shapes are noted, not fatal, and none is lost silently", () => {
      const { names, notes } = read(
        '<path id="front" d="M0 0h100v100h-100z"/><path id="fold" d="M50 10v80"/><line id="notch" x1="0" y1="50" x2="5" y2="50"/>' +
          '<text id="t">cut 2</text><g display="none"><rect id="old" width="5" height="5"/></g><path id="_fold" d="M0 0h9v9z"/><image id="i"/>',
      );
      expect(names).toEqual(["front"]);
      for (const name of ["fold", "notch", "t", "_fold", "i"])
        expect(notes.filter((note) => note.startsWith(`"${name}"`))).toHaveLength(1);
      expect(notes.some((note) => /<g> in line \d+ is hidden/.test(note))).toBe(true);
      expect(notes.find((note) => note.includes('"fold"'))).toMatch(
        /is open: .*80.00 mm away: left out/,
      );
    });

    test("a grain line gives its panel the angle from upright, whichever way it was drawn", () => {
      const drawing = (grain: string): number | undefined => {
        const { panels, notes } = read(
          `<path id="front" d="M0 0h100v100h-100z"/><path id="back" d="M200 0h100v100h-100z"/>${grain}`,
        );
        expect(panels.map(({ grain: own }) => own === undefined)).toEqual([false, true]);
        expect(notes).toHaveLength(1);
        expect(notes[0]).toMatch(/^panel "front": grain .*° from upright$/);
        return ((panels[0].grain ?? Number.NaN) * 180) / Math.PI;
      };
      // y is down on paper: a line that leans to the right is turned clockwise from upright
      expect(drawing('<path id="grain" d="M50 10v80"/>')).toBeCloseTo(0, 12);
      expect(drawing('<path id="grain" d="M20 80 L80 20"/>')).toBeCloseTo(-45, 12);
      expect(drawing('<path id="grain" d="M80 20 L20 80"/>')).toBeCloseTo(-45, 12);
      expect(drawing('<line id="grain-front" x1="80" y1="80" x2="20" y2="20"/>')).toBeCloseTo(
        45,
        12,
      );
      expect(drawing('<line id="grain" x1="20" y1="50" x2="80" y2="50"/>')).toBeCloseTo(90, 12);
      // arrow heads, in a group that is named and turned
      expect(
        drawing(
          '<g id="grainline" transform="rotate(30 50 50)"><path d="M50 20v60"/><path d="M45 25l5 -5l5 5"/></g>',
        ),
      ).toBeCloseTo(-30, 9);
    });

    test("a grain line beside all panels is left out, and told", () => {
      const { panels, notes } = read(
        '<path id="front" d="M0 0h100v100h-100z"/><path id="grain" d="M150 10v80"/>',
      );
      expect(panels[0].grain).toBe(undefined);
      expect(notes).toEqual(['"grain": a grain line that lies in no panel: left out']);
    });

    test("Inkscape's label is the name that people gave; the id only if there is none", () => {
      expect(
        read(
          '<rect id="path1437" inkscape:label="sleeve" width="9" height="9"/><rect id="b" x="20" width="9" height="9"/>',
        ).names,
      ).toEqual(["sleeve", "b"]);
    });

    test("use draws what it names where it says, mirrored and twice", () => {
      const { panels, names } = read(
        '<defs><path id="cuff" d="M0 0h20v10h-20z"/></defs><use href="#cuff" x="100" y="50"/>' +
          '<g transform="translate(0 200)"><use id="left" xlink:href="#cuff" transform="scale(-2 1)"/></g>' +
          '<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="10"/></symbol><use id="pocket" href="#s" x="300" width="40" height="80"/>',
      );
      expect(names).toEqual(["cuff", "left", "pocket"]);
      const [cuff, left, pocket] = panels;
      expect(cuff.place.position[0]).toBeCloseTo(0.11, 12);
      expect(cuff.place.position[2]).toBeCloseTo(-0.055, 12);
      expect(area(left.points)).toBeCloseTo(4e-4, 12);
      expect(left.place.position[0]).toBeCloseTo(-0.02, 12);
      expect(area(pocket.points)).toBeCloseTo(16e-4, 12); // fits into the smaller side
    });

    test("a closed shape within another is a hole of it, one within the hole a panel, one that laps over neither", () => {
      const { panels, names, notes } = read(
        '<rect id="yoke" width="100" height="100"/><circle id="neck" cx="50" cy="50" r="30"/>' +
          '<rect id="facing" x="45" y="45" width="10" height="10"/><rect id="tab" x="90" y="10" width="30" height="10"/>',
      );
      expect(names).toEqual(["yoke", "facing", "tab"]);
      expect(panels[0].holes).toHaveLength(1);
      expect(notes).toEqual(['"neck" lies within "yoke": taken as a hole of it']);
    });

    test("use that names itself, or doubles at every level, ends in an error", () => {
      expect(() => read('<g id="a"><use href="#a"/></g>')).toThrow(/nested more than/);
      const levels = Array.from(
        { length: 30 },
        (_, k) => `<g id="l${k + 1}"><use href="#l${k}"/><use href="#l${k}"/></g>`,
      );
      expect(() =>
        read(
          `<defs><rect id="l0" width="1" height="1"/>${levels.join("")}</defs><use href="#l30"/>`,
        ),
      ).toThrow(/too many shapes|points so far/);
    });
  });
});

describe("DXF", () => {
  const pairs = (...list: (string | number)[]) => `${list.join("\n")}\n`;
  const line = (layer: string, a: Vec2, b: Vec2) =>
    pairs(0, "LINE", 8, layer, 10, a[0], 20, a[1], 11, b[0], 21, b[1]);
  const file = (entities: string, { units = 4, blocks = "" } = {}) =>
    pairs(0, "SECTION", 2, "HEADER", 9, "$INSUNITS", 70, units, 0, "ENDSEC") +
    pairs(0, "SECTION", 2, "BLOCKS") +
    blocks +
    pairs(0, "ENDSEC") +
    pairs(0, "SECTION", 2, "ENTITIES") +
    entities +
    pairs(0, "ENDSEC", 0, "EOF");

  test("lines and an arc in any order and sense become one outline, named by its layer", () => {
    // a half disc of radius 100 on a 200 × 100 box
    const [panel] = parseDxf(
      file(
        line("sleeve", [200, 0], [0, 0]) +
          pairs(0, "ARC", 8, "sleeve", 10, 100, 20, 100, 40, 100, 50, 0, 51, 180) +
          line("sleeve", [200, 0], [200, 100]) +
          line("sleeve", [0, 0], [0, 100]),
      ),
    );
    expect(panel.name).toBe("sleeve");
    expect(area(panel.points) / (0.02 + Math.PI * 0.005)).toBeCloseTo(1, 2);
    // the arc runs smoothly into the sides: corners are at the bottom only
    expect(Object.keys(panel.edges).length).toBe(2);
  });

  test("bulges are arcs, units are read, a ring in a ring is a hole", () => {
    const [panel] = parseDxf(
      file(
        pairs(
          0,
          "LWPOLYLINE",
          8,
          "0",
          90,
          4,
          70,
          1,
          10,
          0,
          20,
          0,
          10,
          10,
          20,
          0,
          42,
          1,
          10,
          10,
          20,
          10,
          10,
          0,
          20,
          10,
        ) + pairs(0, "CIRCLE", 8, "0", 10, 5, 20, 5, 40, 2),
        { units: 5 },
      ),
    );
    expect(area(panel.points)).toBeCloseTo(0.01 + (Math.PI * 0.0025) / 2, 4); // bulge 1: a half circle outwards
    expect(panel.holes.length).toBe(1);
    expect(Math.abs(area(panel.holes[0])) / (Math.PI * 0.0004)).toBeCloseTo(1, 1.7);
  });

  test("a clamped B-spline of degree 2 with one span is the Bézier of its controls", () => {
    const spline = pairs(
      0,
      "SPLINE",
      8,
      "0",
      71,
      2,
      40,
      0,
      40,
      0,
      40,
      0,
      40,
      1,
      40,
      1,
      40,
      1,
      10,
      0,
      20,
      0,
      10,
      50,
      20,
      100,
      10,
      100,
      20,
      0,
    );
    const [panel] = parseDxf(file(spline + line("0", [100, 0], [0, 0])));
    expect(
      Math.max(...panel.points.map((p) => p[1])) - Math.min(...panel.points.map((p) => p[1])),
    ).toBeCloseTo(0.05, 12);
    expect(area(panel.points) / ((2 / 3) * 0.1 * 0.05)).toBeCloseTo(1, 1.5);
  });

  test("an AAMA file: each block a piece, its boundary on layer 1, its name in a text", () => {
    const block = (name: string, title: string, w: number) =>
      pairs(0, "BLOCK", 2, name) +
      pairs(0, "POLYLINE", 8, "1", 70, 1) +
      [
        [0, 0],
        [w, 0],
        [w, 5],
        [0, 5],
      ]
        .map(([x, y]) => pairs(0, "VERTEX", 8, "1", 10, x, 20, y))
        .join("") +
      pairs(0, "SEQEND") +
      line("7", [1, 1], [2, 2]) +
      pairs(0, "TEXT", 8, "1", 10, 0, 20, 0, 1, `Piece Name: ${title}`) +
      pairs(0, "ENDBLK");
    const text = file(
      pairs(0, "TEXT", 8, "1", 1, "UNITS: ENGLISH") + pairs(0, "INSERT", 2, "P1", 10, 0, 20, 0),
      {
        blocks: block("P1", "Front", 4) + block("P2", "Back", 6),
      },
    );
    const panels = parseDxf(text);
    expect(panels.map((panel) => panel.name)).toEqual(["Front", "Back"]);
    expect(area(panels[0].points)).toBeCloseTo(20 * 0.0254 ** 2, 12);
    expect(Object.keys(panels[1].edges).length).toBe(4);
  });

  test("an open outline says where its ends are", () => {
    const text = file(line("a", [0, 0], [100, 0]) + line("a", [100, 0], [100, 50]));
    expect(() => parseDxf(text)).toThrow(
      /layer "a": an outline is open: it starts at \(0.0, 0.0\) mm and ends at \(100.0, 50.0\) mm/,
    );
  });

  test("blocks that insert themselves end in an error", () => {
    const blocks =
      pairs(0, "BLOCK", 2, "B") + pairs(0, "INSERT", 2, "B", 10, 0, 20, 0) + pairs(0, "ENDBLK");
    expect(() => parseDxf(file(pairs(0, "INSERT", 2, "B", 10, 0, 20, 0), { blocks }))).toThrow(
      /8 deep/,
    );
  });

  describe("as the industry writes it", () => {
    const square = (layer: string, x0: number, x1: number, y0 = x0, y1 = x1): string =>
      pairs(0, "POLYLINE", 8, layer, 70, 1) +
      [
        [x0, y0],
        [x1, y0],
        [x1, y1],
        [x0, y1],
      ]
        .map(([x, y]) => pairs(0, "VERTEX", 8, layer, 10, x, 20, y))
        .join("") +
      pairs(0, "SEQEND");
    const read = (text: string) => {
      const notes: string[] = [];
      return { panels: parseDxf(text, { onNote: (note) => notes.push(note) }), notes };
    };

    test("the sew line is the outline, cut-outs are holes, pieces lie where they are inserted, the rest is told", () => {
      const block = (name: string, ...inside: string[]): string =>
        pairs(0, "BLOCK", 2, name, 10, 5, 20, 0) + inside.join("") + pairs(0, "ENDBLK");
      const title = (text: string, type = "TEXT"): string => pairs(0, type, 8, "1", 1, text);
      const blocks =
        block(
          "A1",
          square("1", 0, 100),
          square("14", 10, 90),
          square("11", 40, 60),
          line("7", [50, 20], [65, 80]),
          line("4", [10, 50], [15, 50]),
          title("PIECE NAME:  FRONT"),
        ) + block("B1", square("1", 0, 50), title("{\\fArial|b0;Piece Name: Collar}", "MTEXT"));
      const inserts =
        pairs(0, "INSERT", 2, "A1", 10, 1000, 20, 200) +
        pairs(0, "INSERT", 2, "A1", 10, 2000, 20, 200, 41, -1) +
        pairs(0, "INSERT", 2, "B1", 10, 0, 20, 0, 50, 90);
      const { panels, notes } = read(file(inserts, { blocks }));
      expect(panels.map(({ name }) => name)).toEqual(["FRONT", "FRONT-2", "Collar"]);
      const [front, mirrored, collar] = panels;
      expect(area(front.points)).toBeCloseTo(64e-4, 12);
      expect(front.holes).toHaveLength(1);
      // the middle (50, 50) less the base (5, 0), put at (1000, 200)
      expect(front.place.position[0]).toBeCloseTo(1.045, 12);
      expect(front.place.position[2]).toBeCloseTo(0.25, 12);
      expect(mirrored.place.position[0]).toBeCloseTo(2 - 0.045, 12);
      expect(collar.place.position[0]).toBeCloseTo(-0.025, 12);
      expect(collar.place.position[2]).toBeCloseTo(0.02, 12);
      expect(notes.join("\n")).toMatch(/"FRONT": outline is the sew line/);
      expect(notes.join("\n")).toMatch(/"FRONT": left out 1 on layer 4 \(notches\)/);
      // layer 7, and mirrored with its piece
      expect(front.grain).toBeCloseTo(-Math.atan2(15, 60), 12);
      expect(mirrored.grain).toBeCloseTo(Math.atan2(15, 60), 12);
      expect(collar.grain).toBe(undefined);
    });

    test("a spline by fit points is the smooth curve through them", () => {
      // points of a circle: the closed cubic spline through 12 of them leaves it by less than 0.1 %
      const fit = Array.from({ length: 12 }, (_, k) => {
        const t = (2 * Math.PI * k) / 12;
        return [11, 100 * Math.cos(t), 21, 100 * Math.sin(t)];
      });
      const { panels } = read(file(pairs(0, "SPLINE", 8, "0", 70, 1, 71, 3, ...fit.flat())));
      expect(area(panels[0].points) / (Math.PI * 0.01)).toBeCloseTo(1, 2);
      for (const [x, y] of panels[0].points) expect(Math.hypot(x, y)).toBeCloseTo(0.1, 3);

      // ends with given tangents: a quarter of the circle and two radii
      const quarter = fit.slice(0, 4).flat();
      const tangents = [12, 0, 22, 1, 13, -1, 23, 0];
      const pie = read(
        file(
          pairs(0, "SPLINE", 8, "0", 70, 0, 71, 3, ...tangents, ...quarter) +
            line("0", [0, 100], [0, 0]) +
            line("0", [0, 0], [100, 0]),
        ),
      );
      expect(area(pie.panels[0].points) / ((Math.PI * 0.01) / 4)).toBeCloseTo(1, 2);
    });

    test("an open line among closed outlines is noted with its ends, a missing block too", () => {
      const { panels, notes } = read(
        file(
          square("a", 0, 50) +
            line("fold", [0, 0], [0, 40]) +
            line("grain", [10, 10], [40, 40]) +
            pairs(0, "INSERT", 2, "nowhere", 10, 0, 20, 0),
        ),
      );
      expect(panels).toHaveLength(1);
      expect(notes.some((note) => /layer "fold": an outline is open/.test(note))).toBe(true);
      expect(panels[0].grain).toBeCloseTo(-Math.PI / 4, 12);
      expect(notes.some((note) => /inserts a block that is not in the file/.test(note))).toBe(true);
    });
  });
});

describe("GarmentCode", () => {
  const pattern = () => ({
    pattern: {
      panels: {
        front: {
          vertices: [
            [0, 0],
            [40, 0],
            [40, 60],
            [0, 60],
          ],
          edges: [
            { endpoints: [0, 1] },
            { endpoints: [1, 2], curvature: { type: "circle", params: [30, 0, 1] } as unknown },
            { endpoints: [2, 3], curvature: [0.5, 0.5] as unknown },
            {
              endpoints: [3, 0],
              curvature: {
                type: "cubic",
                params: [
                  [0.3, 0.1],
                  [0.7, 0.1],
                ],
              } as unknown,
            },
          ],
          translation: [0, 100, 20],
          rotation: [0, 90, 0],
        },
        back: {
          vertices: [
            [0, 0],
            [0, 60],
            [40, 60],
            [40, 0],
          ],
          edges: [
            { endpoints: [0, 1] },
            { endpoints: [1, 2] },
            { endpoints: [2, 3] },
            { endpoints: [3, 0] },
          ],
          translation: [0, 100, -20],
          rotation: [0, 0, 0],
        },
      },
      stitches: [
        [
          { panel: "front", edge: 1 },
          { panel: "back", edge: 0 },
        ],
        [{ panel: "front", edge: 3 }, { panel: "back", edge: 2 }, "right_wrong"],
      ] as unknown[],
    },
    properties: { units_in_meter: 100, curvature_coords: "relative" },
  });

  test("centimetres become metres, y up becomes z up, edges keep their numbers", () => {
    const { panels, seams } = parseGarmentCode(JSON.stringify(pattern()));
    const [front, back] = panels;
    expect(edgeLength(front, "e0")).toBeCloseTo(0.4, 12);
    // radius 30 over a chord of 60: a half circle to the right of the edge
    expect(edgeLength(front, "e1") / (0.3 * Math.PI)).toBeCloseTo(1, 2);
    expect(Math.max(...front.points.map((p) => p[0]))).toBeCloseTo(0.7, 3); // within 0.1 mm
    // control at (½, ½) of an edge towards −u: half the control's height below it
    expect(Math.min(...front.points.slice(...front.edges.e2).map((p) => p[1]))).toBeCloseTo(0.5, 3);
    expect(front.place.position).toEqual([0, -0.2, 1]);
    expect(front.place.rotation[2]).toBeCloseTo(Math.PI / 2, 12);
    expect(back.place.position).toEqual([0, 0.2, 1]);
    expect(area(back.points)).toBeLessThan(0); // its sense says which side is out
    expect(seams).toEqual([
      { from: "front:e1", to: "back:e0", reversed: true },
      { from: "front:e3", to: "back:e2", reversed: false },
    ]);
  });

  test("angles turn about the panel's own x, then y, then z", () => {
    const file = pattern();
    file.pattern.panels.front.rotation = [90, 0, 90];
    const [front] = parseGarmentCode(JSON.stringify(file)).panels;
    // Rx(90)·Rz(90) takes x to z, y to −x, z to −y: a third of a turn about (1, −1, 1), with z up (1, −1, −1)
    const [x, y, z] = front.place.rotation;
    expect(Math.hypot(x, y, z)).toBeCloseTo((2 * Math.PI) / 3, 12);
    const third = (2 * Math.PI) / 3 / Math.sqrt(3);
    expect([x, y, z].map((c) => c / third)).toEqual([1, -1, -1].map((c) => expect.closeTo(c, 12)));
  });

  test.each([
    [
      "an open outline",
      (p: ReturnType<typeof pattern>) => p.pattern.panels.back.edges.pop(),
      /panel "back": its outline is open/,
    ],
    [
      "edges out of order",
      (p: ReturnType<typeof pattern>) => p.pattern.panels.back.edges.reverse(),
      /panel "back", edge 1: starts at vertex 2/,
    ],
    [
      "a stitch to nowhere",
      (p: ReturnType<typeof pattern>) =>
        p.pattern.stitches.push([
          { panel: "sleeve", edge: 0 },
          { panel: "back", edge: 0 },
        ]),
      /stitch 2: names panel "sleeve"; there are front, back/,
    ],
    [
      "a stitch to no edge",
      (p: ReturnType<typeof pattern>) =>
        p.pattern.stitches.push([
          { panel: "front", edge: 9 },
          { panel: "back", edge: 0 },
        ]),
      /stitch 2: names edge "9" of panel "front"; it has 4/,
    ],
  ])("%s is refused by name", (_, spoil, message) => {
    const file = pattern();
    spoil(file);
    expect(() => parseGarmentCode(JSON.stringify(file))).toThrow(message);
  });
});

test("parsePattern goes by the ending of the name", () => {
  expect(parsePattern('<svg><rect width="10" height="10"/></svg>', "a/b.SVG").panels.length).toBe(
    1,
  );
  expect(() => parsePattern("", "b.pdf")).toThrow(
    /pattern, b.pdf: ends in "pdf"; needs .svg .dxf .json/,
  );
});

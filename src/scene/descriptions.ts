/**
 * What the JSON Schema and the comments of input.ts say of every field. Apart from the ranges in schema.ts, so that pages that run
 * scenes do not load it (2.8 kB, compressed). Units and defaults are not repeated here: json-schema.ts adds them.
 */

/** Of every field of an object its text, or its text and those of the fields inside it; of variants, the texts by `type`. */
export interface Texts {
  readonly [name: string]: string | readonly [string, Texts] | Texts;
}

function angle(what: string, per: string = ""): [string, Texts] {
  return [`${what} Degrees${per}.`, { radians: "The same in radians." }];
}

function rotation(what: string, unit: string = "°"): [string, Texts] {
  return [
    `${what} A rotation vector in ${unit}, { axis, angle } or { radians: [x, y, z] }.`,
    {
      axis: "Axis of rotation, of any length.",
      angle: angle("Angle about the axis.", unit === "°" ? "" : " per second"),
    },
  ];
}

const PLACE: Texts = {
  position: "Position.",
  rotation: rotation("Rotation."),
  wrap: "Radius of the vertical cylinder that it is rolled around.",
};
const PLACED: Texts = {
  position: "Position.",
  rotation: rotation("Rotation about the origin, before it is moved."),
};
const AXES: [string, Texts] = [
  "Held directions.",
  { x: "x is held.", y: "y is held.", z: "z is held." },
];

const SHEET: Texts = {
  name: "Name of the sheet.",
  shape: [
    "Outline of the sheet. A rectangle spans [0, width] × [0, height]; discs are centred on the origin.",
    {
      rectangle: { width: "Along u.", height: "Along v." },
      disc: { radius: "Radius." },
      annulus: { inner: "Inner radius.", outer: "Outer radius." },
      polygon: { points: "Outline, counter-clockwise (m).", holes: "Outlines of holes (m)." },
      tube: { radius: "Radius.", height: "Height." },
      mesh: {
        file: "OBJ, PLY or GLB file, relative to the scene.",
        scale: "Metres per unit of the file.",
        uv: "Take the rest shape from the texture coordinates.",
      },
      garment: {
        panels: [
          "Panels.",
          {
            name: "Name of the panel.",
            points: "Outline, counter-clockwise (m).",
            edges: "Names of stretches of the outline: [first vertex, last vertex].",
            holes: "Outlines of holes (m).",
            place: ["Where it starts in space.", PLACE],
            grain: angle(
              "Direction of the grain (the warp) from v, counter-clockwise. Turns prints, images and exported UV; the simulation does not read it.",
            ),
          },
        ],
        seams: [
          "Seams.",
          {
            from: "panel:edge",
            to: "panel:edge",
            reversed: "Run along the second edge backwards.",
          },
        ],
        sewing: [
          "Pulls the seams together over time. Default: welded at the start where sewn edges meet; where they start apart, pulled together in 0.5 s.",
          { seconds: "Until the edges meet; 0 welds them at the start, wherever they are." },
        ],
        file: "Pattern in SVG, DXF or GarmentCode, instead of panels.",
        place: ["Where panels of the file start, by name; else as drawn.", PLACE],
      },
    },
  ],
  sampling: [
    "Where the points are: `points` or `spacing`.",
    {
      type: "irregular: blue noise by the seed; mesh: the file's own points.",
      points: "Number of points.",
      spacing: "Distance of points, instead.",
      angle: angle("Of a rotated grid."),
    },
  ],
  neighbourhood: [
    "Which points a constraint averages over: `rings` or `radius`.",
    { rings: "Rings of triangles.", radius: "Or all points this near." },
  ],
  pose: [
    "Start pose: flat or rolled, then rotated about the origin and moved. Default: flat, and rest for tubes, meshes and garments.",
    {
      flat: PLACED,
      rest: PLACED,
      cylinder: {
        radius: "Radius; negative rolls down.",
        angle: angle("Of the axis against the v direction."),
        ...PLACED,
      },
      cone: {
        halfAngle: angle("Half apex angle."),
        apex: "Material point of the apex.",
        ...PLACED,
      },
      arc: { span: "Distance of the ends.", ...PLACED },
      file: { file: "OBJ or PLY file with as many points.", ...PLACED },
    },
  ],
  velocity: "Of every point at the start.",
  spin: rotation("Rotation at the start, per second, about the centroid.", "°/s"),
  material: [
    "A preset, and what differs from it.",
    {
      preset: "A named material.",
      density: "Areal density.",
      volumetricDensity: "Density per volume, instead of density; needs thickness.",
      D: "Flexural rigidity.",
      young: "Young's modulus, instead of D; needs thickness.",
      poisson: "Poisson's ratio.",
      membraneStiffness:
        "Membrane stiffness, Young's modulus times thickness; by default so large that its stretch is not seen.",
      thickness: "Thickness.",
      damping: "Damping time of bending.",
    },
  ],
  curvature: [
    "Natural curvature, which the sheet has where nothing loads it: that of its start pose, or a given one. Flat if left out.",
    {
      value: "Curvature, towards the front if positive.",
      angle: angle("Direction in the material that is curved, from u."),
    },
  ],
  noise: "Amplitude of random displacement along z at the start.",
  look: [
    "Colours and print in pictures; by the material if left out.",
    {
      front: "Colour of the front, #rrggbb.",
      back: "Colour of the back, #rrggbb.",
      ink: "Colour of the print, #rrggbb.",
      print: "Print that follows the material.",
      size: "Length after which the print repeats; width of the image.",
      image: "PNG file, relative to the scene, laid on the sheet.",
    },
  ],
};

/** Of the forms that many fields have, by name. */
export const DEFINITIONS: Readonly<Record<string, readonly [string, Texts]>> = {
  Pick: [
    "Which points of a sheet.",
    {
      sheet: "Name or number of the sheet.",
      corner: "Name of a corner: top-left, top-right, bottom-left, bottom-right.",
      corners: "Corners.",
      edge: "Name of an edge: left, right, top, bottom, inner, outer, panel:edge …",
      edges: "Edges.",
      region: [
        "A box in material coordinates.",
        { min: "Material coordinates [u, v].", max: "Material coordinates [u, v]." },
      ],
      regions: [
        "Boxes in material coordinates.",
        { min: "Material coordinates [u, v].", max: "Material coordinates [u, v]." },
      ],
      nearest: "The points nearest to these material coordinates.",
      points: "Points by number.",
      radius:
        "All points this near to the others count as well. A pin with a radius holds its patch of the sheet whole, direction and all, however few points lie in it.",
    },
  ],
  Motion: [
    "Prescribed rigid motion.",
    {
      time: "When.",
      translate: "Translation since the start.",
      rotate: rotation("Rotation since the start, about the pivot."),
      keys: [
        "Keyframes; times rise. Before the first one nothing moves.",
        {
          time: "When.",
          translate: "Translation since the start.",
          rotate: rotation("Rotation since the start, about the pivot."),
        },
      ],
      smooth: "Ease in and out between keys.",
      pivot: "Centre of rotation: of bodies their position, else the origin.",
      spin: [
        "Spin about an axis through the pivot, on top of the keys.",
        {
          axis: "Axis; z by default.",
          rate: angle("Angular speed.", " per second"),
          rates: [
            "Angular speed at times; linear between.",
            { time: "When.", rate: angle("Angular speed.", " per second") },
          ],
        },
      ],
    },
  ],
};

export const DESCRIPTIONS: Texts = {
  $schema: "Address of this schema, for editors.",
  name: "Name of the scene.",
  description: "What it shows.",
  seed: "Seed of everything random.",
  seconds: "Simulated time.",
  h: "Time step; 1/240 if accurate, 1/60 if interactive, 0.001 if paper.",
  solver: "How to step.",
  integrator:
    "Time integration: implicit Euler, or the second order of BDF2, which loses a tenth of the energy; a sheet goes by Euler while something touches or leads it, near rest, in steps taken in halves, where it would gain energy, and with attachments or a substrate. bdf2 if accurate and not projected, else euler.",
  stuck:
    "A pin or body that cannot go on is held back with a warning, or stops the run with an error.",
  sleep: "A scene at rest is left as it is until something moves, at no cost.",
  constraint:
    "What is kept: the arcs of samples with frames, or the paper's trace and determinant of the averaged F.",
  method: "Ours, or one to compare with.",
  tolerance:
    "Largest residual that a projection may leave (solver: paper, quad-edges, triangle-edges).",
  baseline: [
    "Settings of the methods to compare with.",
    {
      young: "discrete-shells: Young's modulus.",
      thickness: "discrete-shells: thickness.",
      diagonalStiffness: "quad-edges: stiffness of the diagonals.",
    },
  ],
  projection: [
    "Settings of solver: paper.",
    {
      geometricStiffness: "Regularise with geometric stiffness.",
      shift: "Relative shift of the diagonal.",
      maxRounds: "Most rounds a step.",
      slack: "Rows give way in proportion to the tolerance; the paper's do not.",
      everyStep: "Project also where the prediction is within the tolerance; the paper does not.",
      bending:
        "Rows of L in the bending energy ½k‖LY‖²: one per interior edge, at the exact energy of cylinders; or one per point, cotangents as the paper writes it.",
    },
  ],
  static: [
    "Look for equilibrium instead of stepping through time.",
    {
      forceTolerance: "Largest force left, relative to the load.",
      maxIterations: "Most Newton iterations.",
    },
  ],
  gravity: "Gravity (m/s²): downwards, or a vector.",
  air: [
    "Air.",
    {
      drag: "Linear drag per area.",
      wind: "Wind.",
      density: "Of the air, for pressure on the normal; 0 turns it off, 1.2 is air.",
    },
  ],
  foundation: [
    "Springs per area to the start pose.",
    { stiffness: "Spring stiffness per area.", axis: "Direction; z by default." },
  ],
  pressure: "Pressure along the normals.",
  sheet: ["The sheet, if there is one only.", SHEET],
  sheets: ["The sheets.", SHEET],
  pins: [
    "Pins, hinges and clamps.",
    {
      name: "Its name in messages and for programs.",
      kind: "clamp holds the tangent plane too.",
      axes: AXES,
      release: "When it lets go; never by default.",
    },
  ],
  masses: ["Hung masses.", { mass: "Shared by the points." }],
  attachments: [
    "Mean positions of patches that follow a target.",
    {
      target: "Where their mean position goes; where it starts by default.",
      release: "When it lets go; never by default.",
    },
  ],
  colliders: [
    "Bodies.",
    {
      name: "Its name in messages and for programs.",
      body: [
        "Shape, in its own coordinates.",
        {
          plane: { normal: "Points out; z by default." },
          sphere: { radius: "Radius." },
          box: { size: "Full lengths.", rounding: "Radius of its edges." },
          capsule: { radius: "Radius.", length: "Of the axis, along z." },
          cylinder: { radius: "Radius.", length: "Along z.", rounding: "Radius of its edges." },
          cone: {
            radius: "Radius of the base.",
            length: "Along z, to the apex.",
            rounding: "Radius of its edges.",
          },
          torus: { major: "Radius of the ring, in the xy plane.", minor: "Radius of its tube." },
          edge: { radius: "Radius of the rounded edge of a table." },
          mesh: {
            file: "OBJ, PLY, STL or GLB file, relative to the scene; set.glb#chair is one object of it.",
            scale: "Metres per unit of the file.",
            closed: "Has an inside.",
            vertices: [
              "The vertices move as the frames of this file: PC2, MDD, or GLB with a skin, morph targets or moving nodes.",
              {
                file: "PC2, MDD or GLB file, relative to the scene.",
                rate: "Frames per second of a PC2 file, which has no times.",
                start: "Time of the first frame.",
              },
            ],
          },
        },
      ],
      position: "Position.",
      rotation: rotation("Rotation."),
      friction: "Coulomb friction.",
      offset: "Extra distance kept from the body.",
      motion: 'Prescribed rigid motion; "file": as the body\'s GLB file is animated.',
    },
  ],
  contact: [
    "Contact between layers.",
    {
      self: "Sheets against themselves and each other.",
      friction: "Coulomb friction.",
      slipSpeed: "Layers that stick give way by as much as this speed makes in a step.",
    },
  ],
  substrate: [
    "An elastic solid under the sheet.",
    {
      shape: [
        "The solid under the sheet.",
        {
          block: {
            size: "Full lengths.",
            cells: "Cells along x, y and z.",
            grading: "How many times thicker the lowest layer of cells is than the uppermost.",
          },
          cylinder: { radius: "Radius.", height: "Height.", cells: "Cells along a direction." },
          file: { file: "Tetrahedral mesh." },
        },
      ],
      young: "Young's modulus.",
      poisson: "Poisson's ratio.",
      density: "Density.",
      position: "Position.",
      held: [
        "Faces or boxes of points that are held or moved.",
        {
          face: "Name of a face, or any name for a box given by min and max.",
          min: "Position.",
          max: "Position.",
          axes: AXES,
        },
      ],
      coupling: [
        "How the sheet is attached to the solid.",
        { spacing: "Distance of the attachments.", twoWay: "The sheet pulls the solid too." },
      ],
    },
  ],
  record: [
    "What to record.",
    {
      rate: "Frames per second of simulated time.",
      checkpoint:
        "Simulated time between checkpoints; frames that took long are followed by one in any case.",
    },
  ],
  view: [
    "How pictures show it.",
    {
      camera: [
        "Camera.",
        {
          eye: "Where the camera is.",
          target: "What it looks at.",
          fov: angle("Vertical field of view."),
        },
      ],
      ground: "Draw a ground.",
    },
  ],
};

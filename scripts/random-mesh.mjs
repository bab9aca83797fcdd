/** Meshes for random scenes, as OBJ. */

const obj = (points, triangles) =>
  [
    ...points.map((x) => `v ${x.map((c) => Number(c.toFixed(6))).join(" ")}`),
    ...triangles.map((t) => `f ${t.map((k) => k + 1).join(" ")}`),
    "",
  ].join("\n");

/** A ball: an octahedron whose triangles are divided into four, twice; open: its lower half. */
export function ballMesh(radius, isOpen = false) {
  const points = [];
  for (const c of [0, 1, 2])
    for (const sign of [1, -1]) points.push([0, 1, 2].map((d) => (d === c ? sign : 0)));
  let triangles = [];
  for (const x of [0, 1])
    for (const y of [2, 3])
      for (const z of [4, 5]) triangles.push((x + y + z) % 2 === 0 ? [x, y, z] : [y, x, z]);
  if (isOpen) triangles = triangles.filter((t) => t.includes(5));
  for (let level = 0; level < 2; level++) triangles = quartered(points, triangles);
  const used = [...new Set(triangles.flat())].sort((a, b) => a - b);
  const place = new Map(used.map((k, at) => [k, at]));
  return obj(
    used.map((k) => points[k].map((x) => radius * x)),
    triangles.map((t) => t.map((k) => place.get(k))),
  );
}

/** Every triangle of a unit sphere as four. */
function quartered(points, triangles) {
  const middles = new Map();
  const middle = (a, b) => {
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    if (!middles.has(key)) {
      const sum = [0, 1, 2].map((c) => points[a][c] + points[b][c]);
      middles.set(key, points.push(sum.map((x) => x / Math.hypot(...sum))) - 1);
    }
    return middles.get(key);
  };
  return triangles.flatMap(([a, b, c]) => {
    const [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
    return [
      [a, p, r],
      [p, b, q],
      [r, q, c],
      [p, q, r],
    ];
  });
}

/** A roof with a sharp ridge along x. */
export function wedgeMesh(radius) {
  const [a, b] = [0.6 * radius, 0.4 * radius];
  const points = [
    [-a, -b, -b],
    [a, -b, -b],
    [a, b, -b],
    [-a, b, -b],
    [-a, 0, b],
    [a, 0, b],
  ];
  const faces = [
    [0, 2, 1],
    [0, 3, 2],
    [0, 1, 5],
    [0, 5, 4],
    [2, 3, 4],
    [2, 4, 5],
    [1, 2, 5],
    [3, 0, 4],
  ];
  return obj(points, faces);
}

/** A square of `count` points a side, bulged upwards by `bulge` of its half side in the middle. */
export function domeMesh(size, bulge, count) {
  const half = size / 2;
  const at = (k) => -1 + (2 * k) / (count - 1);
  const points = [];
  const triangles = [];
  for (let j = 0; j < count; j++)
    for (let i = 0; i < count; i++) {
      const [u, v] = [at(i), at(j)];
      points.push([half * u, half * v, half * bulge * (1 - u * u) * (1 - v * v)]);
      if (i === 0 || j === 0) continue;
      const k = j * count + i;
      triangles.push([k - count - 1, k - count, k], [k - count - 1, k, k - 1]);
    }
  return obj(points, triangles);
}

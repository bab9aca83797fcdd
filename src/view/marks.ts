/** Small things on the sheet: pins, contacts, the neighbourhood of a point, the pull of a hand. */
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  type Object3D,
  SphereGeometry,
} from "three";

export interface Marks {
  readonly object: Object3D;
  /** Which points of the sheet have a mark. */
  readonly points: ArrayLike<number>;
  setPoints(points: ArrayLike<number>): void;
  /** Moves the marks to where their points are, [3n] m. */
  follow(P: ArrayLike<number>): void;
  dispose(): void;
}

/**
 * Balls of a radius (m) at points of the sheet.
 *
 * @example
 * const marks = createMarks("#c0392b", 0.01);
 */
export function createMarks(color: string, radius: number): Marks {
  const geometry = new SphereGeometry(1, 16, 12);
  const material = new MeshStandardMaterial({ color, roughness: 0.4 });
  const matrix = new Matrix4();
  let points: ArrayLike<number> = [];
  let capacity = 64;
  const grown = (): InstancedMesh => {
    const mesh = new InstancedMesh(geometry, material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.castShadow = true;
    mesh.frustumCulled = false;
    mesh.count = 0;
    return mesh;
  };
  let mesh = grown();
  const holder = new Group();
  holder.add(mesh);
  return {
    object: holder,
    get points() {
      return points;
    },
    setPoints(list) {
      points = list;
      if (list.length <= capacity) return;
      while (capacity < list.length) capacity *= 2;
      holder.remove(mesh);
      mesh.dispose();
      mesh = grown();
      holder.add(mesh);
    },
    follow(P) {
      mesh.count = points.length;
      for (let k = 0; k < points.length; k++) {
        const i = 3 * points[k];
        matrix.makeScale(radius, radius, radius).setPosition(P[i], P[i + 1], P[i + 2]);
        mesh.setMatrixAt(k, matrix);
      }
      mesh.instanceMatrix.needsUpdate = true;
    },
    dispose() {
      mesh.dispose();
      geometry.dispose();
      material.dispose();
    },
  };
}

export interface Threads {
  readonly object: Object3D;
  /** [6 per line] m, from and to. */
  setLines(ends: ArrayLike<number>): void;
  dispose(): void;
}

/**
 * Straight lines in front of everything: a neighbourhood's spokes, the pull of a hand.
 *
 * @example
 * const threads = createThreads("#888888");
 */
export function createThreads(color: string): Threads {
  const material = new LineBasicMaterial({ color, depthTest: false, transparent: true });
  let geometry = new BufferGeometry();
  const lines = new LineSegments(geometry, material);
  lines.renderOrder = 10;
  lines.frustumCulled = false;
  lines.visible = false;
  return {
    object: lines,
    setLines(ends) {
      lines.visible = ends.length > 0;
      if (ends.length === 0) return;
      const held = geometry.getAttribute("position") as BufferAttribute | undefined;
      if (held === undefined || held.array.length < ends.length) {
        geometry.dispose();
        geometry = new BufferGeometry();
        const array = new Float32Array(Math.max(60, 2 * ends.length));
        geometry.setAttribute("position", new BufferAttribute(array, 3));
        lines.geometry = geometry;
      }
      const position = geometry.getAttribute("position") as BufferAttribute;
      position.array.set(ends as ArrayLike<number> & Float32Array);
      position.needsUpdate = true;
      geometry.setDrawRange(0, ends.length / 3);
    },
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}

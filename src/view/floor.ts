/** Which collider is the floor. Told without three.js, for pages that leave drawing to a worker. */
import { setRotation } from "../scene/motion.ts";
import type { Collider } from "../scene/scene.ts";

const R = new Float64Array(9);

/**
 * A plane that looks straight up where it starts.
 *
 * @example
 * const floors = scene.colliders.filter(isFloor);
 */
export function isFloor({ body, rotation }: Pick<Collider, "body" | "rotation">): boolean {
  if (body.type !== "plane") return false;
  setRotation(R, ...rotation);
  const [x, y, z] = body.normal;
  return (R[6] * x + R[7] * y + R[8] * z) / Math.hypot(x, y, z) > 0.999;
}

/**
 * Ogawa, the container under Alembic: a tree of groups with data at the leaves, little endian.
 *
 *   file   "Ogawa", 0xff (finished), 0x00 0x01 (version), position of the root group
 *   group  count, then the position of each child; data have the top bit set
 *   data   size, then bytes
 *   none   an empty group is 0, empty data is the top bit alone; neither is stored
 *
 * The root's position stands at the start and its children's sizes decide it, so the tree is walked
 * twice: once to add up sizes, once to write. Children and their bytes are made when they are asked
 * for, one at a time, so a group of a million samples costs its list of places, 8 bytes each.
 */

export interface OgawaData {
  readonly size: number;
  readonly bytes: () => Uint8Array;
}
export interface OgawaGroup {
  readonly count: number;
  readonly child: (k: number) => OgawaChild;
}
export type OgawaChild = OgawaData | OgawaGroup;

/** A group of children that are there already. */
export function ogawaGroup(children: readonly OgawaChild[]): OgawaGroup {
  return { count: children.length, child: (k) => children[k] };
}

const HEADER = 16;
const IS_DATA = 1n << 63n;

export function* writeOgawa(root: OgawaGroup): Generator<Uint8Array> {
  const header = new DataView(new ArrayBuffer(HEADER));
  for (let k = 0; k < 5; k++) header.setUint8(k, "Ogawa".charCodeAt(k));
  header.setUint8(5, 0xff);
  header.setUint8(7, 1);
  header.setBigUint64(8, BigInt(sizeOf(root) + HEADER - groupSize(root)), true);
  yield new Uint8Array(header.buffer);
  yield* writeChild(root, { at: HEADER });
}

/** Writes children first, then the list of where they are; `place.at` moves on. Returns the entry. */
function* writeChild(child: OgawaChild, place: { at: number }): Generator<Uint8Array, bigint> {
  if (isGroup(child)) {
    if (child.count === 0) return 0n;
    const list = new DataView(new ArrayBuffer(groupSize(child)));
    list.setBigUint64(0, BigInt(child.count), true);
    for (let k = 0; k < child.count; k++)
      list.setBigUint64(8 + 8 * k, yield* writeChild(child.child(k), place), true);
    const at = place.at;
    yield new Uint8Array(list.buffer);
    place.at += list.byteLength;
    return BigInt(at);
  }
  if (child.size === 0) return IS_DATA;
  const at = place.at;
  const bytes = child.bytes();
  if (bytes.length !== child.size)
    throw new Error(`data of ${bytes.length} bytes, said ${child.size}`);
  const size = new DataView(new ArrayBuffer(8));
  size.setBigUint64(0, BigInt(child.size), true);
  yield new Uint8Array(size.buffer);
  yield bytes;
  place.at += 8 + child.size;
  return BigInt(at) | IS_DATA;
}

/** Bytes that a child and everything in it take. */
function sizeOf(child: OgawaChild): number {
  if (!isGroup(child)) return child.size === 0 ? 0 : 8 + child.size;
  let sum = groupSize(child);
  for (let k = 0; k < child.count; k++) sum += sizeOf(child.child(k));
  return sum;
}

function groupSize(group: OgawaGroup): number {
  return group.count === 0 ? 0 : 8 + 8 * group.count;
}

function isGroup(child: OgawaChild): child is OgawaGroup {
  return "count" in child;
}

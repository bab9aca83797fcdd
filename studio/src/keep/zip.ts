/**
 * Several files as one .zip (APPNOTE 6.3, methods 0 and 8), since a page can only hand out files one by one.
 * Deflated by the browser itself. No ZIP64: up to 4 GB, more than a page can hold.
 */
export interface ZipEntry {
  /** With folders: "run/frames". */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export async function zip(entries: readonly ZipEntry[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let at = 0;
  for (const { name, bytes } of entries) {
    const packed = await deflated(bytes);
    const smaller = packed.length < bytes.length;
    const data = smaller ? packed : bytes;
    const title = new TextEncoder().encode(name);
    const common = (view: DataView, from: number): void => {
      view.setUint16(from, 20, true); // version needed: 2.0
      view.setUint16(from + 2, 0x0800, true); // names are UTF-8
      view.setUint16(from + 4, smaller ? 8 : 0, true);
      view.setUint32(from + 6, 0x00210000, true); // 1 January 1980: the same scene gives the same file
      view.setUint32(from + 10, crc32(bytes), true);
      view.setUint32(from + 14, data.length, true);
      view.setUint32(from + 18, bytes.length, true);
      view.setUint16(from + 22, title.length, true);
    };
    const local = new Uint8Array(30 + title.length);
    const head = new DataView(local.buffer);
    head.setUint32(0, 0x04034b50, true);
    common(head, 4);
    local.set(title, 30);
    const record = new Uint8Array(46 + title.length);
    const entry = new DataView(record.buffer);
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(4, 20, true);
    common(entry, 6);
    entry.setUint32(42, at, true);
    record.set(title, 46);
    parts.push(local, data);
    central.push(record);
    at += local.length + data.length;
  }
  const size = central.reduce((sum, record) => sum + record.length, 0);
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, entries.length, true);
  view.setUint16(10, entries.length, true);
  view.setUint32(12, size, true);
  view.setUint32(16, at, true);
  return joined([...parts, ...central, end]);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  return through(new CompressionStream("deflate-raw"), bytes);
}

export async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  return through(new DecompressionStream("deflate-raw"), bytes);
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  return new Uint8Array(await new Response(source.pipeThrough(stream)).arrayBuffer());
}

let table: Uint32Array | null = null;

function crc32(bytes: Uint8Array): number {
  if (table === null) {
    table = new Uint32Array(256);
    for (let k = 0; k < 256; k++) {
      let c = k;
      for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      table[k] = c >>> 0;
    }
  }
  let crc = 0xffffffff;
  for (let k = 0; k < bytes.length; k++) crc = table[(crc ^ bytes[k]) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

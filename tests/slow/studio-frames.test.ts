/** Frames through shared memory: newest first, never torn, however the two sides race. */
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import {
  createSharedFrames,
  HEAD,
  sharedReader,
  sharedWriter,
  slotAt,
  slotBytes,
  transferReader,
  transferWriter,
} from "../../studio/src/engine/frames.ts";

const layout = { n: 2716, bodies: 2 };

test("a frame is never half of one and half of another while a writer runs at full speed", async () => {
  // The writer (plain JavaScript, the protocol of frames.ts) fills slot after slot with its serial number. Whatever
  // the reader sees must be one number throughout, and numbers must rise.
  const buffer = createSharedFrames(layout);
  const writer = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     const { buffer, bytes } = workerData;
     const control = new Int32Array(buffer, 0, 1);
     const slots = [0, 1, 2].map((k) => ({ head: new Float64Array(buffer, 8 + k * bytes, 11), body: new Float32Array(buffer, 8 + k * bytes + 88, (bytes - 88) / 4) }));
     let own = 0;
     for (let serial = 1; serial <= 40000; serial++) {
       const { head, body } = slots[own];
       body.fill(serial % 16777216);
       head.fill(serial);
       own = Atomics.exchange(control, 0, own | 4) & 3;
     }
     parentPort.postMessage("done");`,
    { eval: true, workerData: { buffer, bytes: slotBytes(layout) } },
  );
  let done = false;
  writer.on("message", () => {
    done = true;
  });
  const reader = sharedReader(buffer, layout);
  let last = 0;
  let seen = 0;
  while (!done || last < 40000) {
    const slot = reader.next();
    if (slot === null) {
      await new Promise((resume) => setImmediate(resume));
      continue;
    }
    const serial = slot.head[HEAD.serial];
    expect(serial).toBeGreaterThan(last);
    last = serial;
    seen++;
    for (const array of [slot.pose, slot.values])
      if (array[0] !== serial || array.some((x) => x !== serial))
        throw new Error(`frame ${serial} is torn`);
  }
  await writer.terminate();
  expect(last).toBe(40000); // the newest is never lost
  expect(seen).toBeGreaterThan(10);
}, 120_000);

test("writer and reader in turn: each frame once, in order, with nothing to read in between", () => {
  const buffer = createSharedFrames(layout);
  const writer = sharedWriter(buffer, layout);
  const reader = sharedReader(buffer, layout);
  expect(reader.next()).toBe(null);
  for (let serial = 1; serial < 20; serial++) {
    writer.slot().head[HEAD.serial] = serial;
    writer.slot().positions.fill(serial);
    writer.publish();
    const slot = reader.next();
    expect(slot?.head[HEAD.serial]).toBe(serial);
    expect(slot?.positions[3 * layout.n - 1]).toBe(serial);
    expect(reader.next()).toBe(null);
  }
});

test("a reader that comes late gets the newest of many", () => {
  const buffer = createSharedFrames(layout);
  const writer = sharedWriter(buffer, layout);
  const reader = sharedReader(buffer, layout);
  for (let serial = 1; serial <= 7; serial++) {
    writer.slot().head[HEAD.serial] = serial;
    writer.publish();
  }
  expect(reader.next()?.head[HEAD.serial]).toBe(7);
});

test("without shared memory four buffers go back and forth, and the slot in hand is never written", () => {
  let sent: ArrayBuffer[] = [];
  const writer = transferWriter(layout, (buffer) => sent.push(buffer));
  const reader = transferReader(layout, (buffer) => writer.giveBack(buffer));
  const made = new Set<ArrayBuffer>();
  for (let serial = 1; serial <= 50; serial++) {
    writer.slot().head[HEAD.serial] = serial;
    writer.publish();
    for (const buffer of sent) {
      made.add(buffer);
      reader.take(buffer);
    }
    sent = [];
    if (serial % 3 === 0) expect(reader.next()?.head[HEAD.serial]).toBe(serial);
  }
  expect(made.size).toBeLessThanOrEqual(4);
  expect(slotAt([...made][0], 0, layout).positions.length).toBe(3 * layout.n);
});

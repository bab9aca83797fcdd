/** Certificates: what was proven of a recording, with the hashes of its files and of every frame, and how two of them differ. */
import { sha256 } from "../recording/hash.ts";
import type { EnergyName } from "./energy.ts";

export const CERTIFICATE_FORMAT = "isoplate certificate 3";

export interface FrameProof {
  /** s */
  time: number;
  /** SHA-256: the frame's seal, which covers all frames before it; of its bytes where frames have no seals. */
  hash: string;
  stretch: number;
  compression: number;
  /** Pairs of triangles that intersect, of the sheets among themselves and with bodies that are meshes. */
  crossings: number;
  /** m, how deep points and triangles are in bodies with a formula. */
  depth: number;
  /** J; null where the recording does not hold what one follows from, which a note says. */
  energy: Record<EnergyName, number | null>;
}

export interface Certificate {
  format: typeof CERTIFICATE_FORMAT;
  scene: string;
  /** Of the program that recorded. */
  version: string;
  points: number;
  /** Whether the run came to its end. */
  ended: boolean;
  /** Relative change of length that an edge may have. */
  strainLimit: number;
  files: Record<string, string>;
  frames: FrameProof[];
  /** What could not be judged, and why. */
  notes: string[];
  /** SHA-256 of all the above as JSON. */
  digest: string;
}

/** SHA-256 of a certificate without its digest. */
export function digestOf(certificate: Omit<Certificate, "digest">): string {
  const { digest: _, ...rest } = certificate as Certificate;
  return sha256(new TextEncoder().encode(JSON.stringify(rest)));
}

/** How a certificate made elsewhere differs from what was found here; empty if it holds. */
export function certificateFaults(given: Certificate, found: Certificate): string[] {
  if (given?.format !== CERTIFICATE_FORMAT)
    return [`the certificate is of another format, needs "${CERTIFICATE_FORMAT}"`];
  if (digestOf(given) !== given.digest)
    return ["the certificate has been changed: its digest does not match"];
  const faults: string[] = [];
  for (const name of new Set([...Object.keys(given.files), ...Object.keys(found.files)]))
    if (given.files[name] !== found.files[name])
      faults.push(`${name} is not the file that was certified`);
  if (given.frames.length !== found.frames.length)
    faults.push(`certified are ${given.frames.length} frames, here are ${found.frames.length}`);
  given.frames.forEach((frame, k) => {
    const here = found.frames[k];
    if (here !== undefined && JSON.stringify(here) !== JSON.stringify(frame))
      faults.push(
        `frame ${k} is not as certified${here.hash === frame.hash ? "" : ": its hash differs"}`,
      );
  });
  if (faults.length === 0 && given.digest !== found.digest)
    faults.push("the certificate speaks of other limits or another program");
  return faults.slice(0, 20);
}

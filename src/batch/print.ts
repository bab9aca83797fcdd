/**
 * Scripts that run a study on other people's schedulers: a Slurm array, a Kubernetes Job.
 *
 * Both run `isoplate sweep … --part k/n`, n times, on a folder that all see. A part that is killed is started again
 * by the scheduler and goes on from its checkpoints; a last step collects the table and the page.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { filesOf } from "../scene/files.ts";
import { libraryScene } from "../scene/library.ts";
import { version } from "../version.ts";
import type { Study } from "./study.ts";

export interface PrintOptions {
  /** The study's file, as given. */
  file: string;
  out: string;
  /** Parts; a run each if left out, but no more than schedulers take. */
  parts?: number;
}

/** Slurm's usual limit of an array (MaxArraySize 1001). */
const MOST_PARTS = 1000;

/**
 * @example
 * const script = slurmScript(study, { file: "study.yaml", out: "out/study" });
 */
export function slurmScript(study: Study, { file, out, parts }: PrintOptions): string {
  const n = partCount(study, parts);
  const sweep = `npx isoplate sweep ${quoted(file)} --out ${quoted(out)}`;
  return `#!/bin/bash
# ${study.runs.length} runs of ${study.name} in ${n} parts. Submit from the folder in which isoplate is installed:
#   id=$(sbatch --parsable ${quoted(`${fileName(study.name)}.sbatch`)})
#   sbatch --dependency=afterany:$id --wrap "${sweep} --collect"
#SBATCH --job-name=${fileName(study.name)}
#SBATCH --array=1-${n}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=12:00:00
#SBATCH --output=${fileName(study.name)}-%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=TERM@60
# Sixty seconds before the time is up every run writes a checkpoint; what is started again goes on from there.
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
exec ${sweep} --jobs 1 --part "$SLURM_ARRAY_TASK_ID/${n}" --quiet
`;
}

export interface KubernetesOptions extends PrintOptions {
  /** Image with Node ≥ 20. */
  image?: string;
  /** PersistentVolumeClaim (ReadWriteMany) that all pods write to. */
  claim?: string;
  /** Pods at a time. */
  parallel?: number;
}

/**
 * A ConfigMap with the study and its scene, and an indexed Job. @throws Error if the scene names meshes
 *
 * @example
 * const yaml = kubernetesJob(study, { file: "study.yaml", out: "out/study" });
 */
export function kubernetesJob(study: Study, options: KubernetesOptions): string {
  const { file, image = "node:20-bookworm-slim", claim = "isoplate", parallel = 10 } = options;
  const n = partCount(study, options.parts);
  const name = labelName(study.name);
  const meshes = new Set(study.runs.flatMap(({ scene }) => filesOf(scene).map((f) => f.file)));
  if (meshes.size > 0)
    throw new Error(
      `${study.scene} needs ${[...meshes].join(", ")}, which a ConfigMap does not take: put study and files on the volume and change the command`,
    );
  const files: [string, string][] = [[path.basename(file), fs.readFileSync(file, "utf8")]];
  if (libraryScene(study.scene) === undefined) {
    const scene = path.join(path.dirname(file), study.scene);
    files.push([study.scene, fs.readFileSync(scene, "utf8")]);
  }
  for (const [key] of files)
    if (!/^[-._a-zA-Z0-9]+$/.test(key))
      throw new Error(`${key}: a ConfigMap takes plain file names only; put it beside the study`);
  const data = files.map(([key, text]) => `  ${key}: ${JSON.stringify(text)}`).join("\n");
  const sweep = `npx --yes isoplate@${version} sweep /study/${path.basename(file)} --out /results/${name}`;
  return `# ${study.runs.length} runs of ${study.name} in ${n} parts:  kubectl apply -f ${name}.yaml
# When the Job is complete, once more for the table and the page: ${sweep} --collect
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
${data}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
  completions: ${n}
  parallelism: ${Math.min(parallel, n)}
  completionMode: Indexed
  backoffLimitPerIndex: 5
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 60
      containers:
        - name: isoplate
          image: ${image}
          command: ["/bin/sh", "-c"]
          args:
            - exec ${sweep} --jobs 1 --part "$((JOB_COMPLETION_INDEX + 1))/${n}" --quiet
          resources:
            requests: { cpu: "1", memory: 1Gi }
            limits: { memory: 2Gi }
          volumeMounts:
            - { name: study, mountPath: /study }
            - { name: results, mountPath: /results }
      volumes:
        - name: study
          configMap: { name: ${name} }
        - name: results
          persistentVolumeClaim: { claimName: ${claim} }
`;
}

function partCount({ runs }: Study, parts = MOST_PARTS): number {
  return Math.max(1, Math.min(parts, runs.length));
}

export function quoted(text: string): string {
  return /^[\w./=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+/, "") || "study";
}

/** RFC 1123: small letters, digits and dashes. */
function labelName(name: string): string {
  const clean = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50);
  return clean === "" ? "study" : clean;
}

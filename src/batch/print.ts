/**
 * Scripts that run a study on other people's schedulers: a Slurm array, a Kubernetes Job.
 *
 * Both run `isoplate sweep … --part k/n`, n times, on a folder that all see. A part that is killed is started again
 * by the scheduler and goes on from its checkpoints; a last step collects the table and the page.
 *
 * The trap: schedulers announce the end with SIGTERM to the process that they started. npx does not hand it on, and a shell
 * does so only if told to. So the scripts run the program itself: in Kubernetes it takes the place of the shell (exec), in Slurm the
 * shell stays, hands the signal on, waits for the checkpoints and queues the part again.
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

export interface SlurmOptions extends PrintOptions {
  /** The script of the command line, as the nodes see it. */
  program: string;
}

/**
 * @example
 * const script = slurmScript(study, { file: "study.yaml", out: "out/study", program: "npx isoplate" });
 */
export function slurmScript(study: Study, { file, out, parts, program }: SlurmOptions): string {
  const n = partCount(study, parts);
  const sweep = `node ${quoted(program)} sweep ${quoted(file)} --out ${quoted(out)}`;
  const name = fileName(study.name);
  return `#!/bin/bash
# ${study.runs.length} runs of ${study.name} in ${n} parts. Submit from this folder:
#   id=$(sbatch --parsable ${quoted(`${name}.sbatch`)})
#   sbatch --dependency=afterany:$id --wrap ${quoted(`${sweep} --collect`)}
#SBATCH --job-name=${name}
#SBATCH --array=1-${n}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=12:00:00
#SBATCH --output=${name}-%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# Sixty seconds before the time is up Slurm sends SIGTERM to this shell, which hands it on: every run writes a checkpoint,
# and the part is queued again to go on from there.
set -uo pipefail
cd "\${SLURM_SUBMIT_DIR:-.}" || exit 2
stopped=
trap 'stopped=1; kill -TERM "$pid" 2>/dev/null' TERM
${sweep} --jobs 1 --part "$SLURM_ARRAY_TASK_ID/${n}" --quiet &
pid=$!
wait "$pid"
code=$?
# a signal ends the wait, not the program
while kill -0 "$pid" 2>/dev/null; do
  wait "$pid"
  code=$?
done
if [ -n "$stopped" ] && [ "$code" -ne 0 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
`;
}

export interface KubernetesOptions extends PrintOptions {
  /** Image that has isoplate (Containerfile). */
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
  const { file, image = `isoplate:${version}`, claim = "isoplate", parallel = 10 } = options;
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
  const sweep = `isoplate sweep /study/${path.basename(file)} --out /results/${name}`;
  return `# ${study.runs.length} runs of ${study.name} in ${n} parts:  kubectl apply -f ${name}.yaml
# The image ${image} is made in a clone of isoplate, by its Containerfile:
#   npm pack && npm install --prefix container ./isoplate-${version}.tgz && podman build -t ${image} .
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

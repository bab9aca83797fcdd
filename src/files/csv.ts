/** A table for spreadsheets and notebooks: one line per frame and point, with the point fields. */
import { type Animation, type OutputFile, plainName } from "./animation.ts";
import { textChunks } from "./text.ts";

export function* csvFiles(animation: Animation, startFrame: number): Generator<OutputFile> {
  yield {
    name: `${plainName(animation.name)}.csv`,
    chunks: textChunks(rows(animation, startFrame)),
  };
}

function* rows(animation: Animation, startFrame: number): Generator<string> {
  const fields = (animation.fields ?? []).filter((field) => field.per === "point");
  const names = fields.map((field) => `,${plainName(field.name, "field")}`).join("");
  yield `frame,time_s,point,x_m,y_m,z_m${names}\n`;
  const Y = new Float64Array(3 * animation.n);
  const values = fields.map(() => new Float64Array(animation.n));
  for (let frame = 0; frame < animation.frames; frame++) {
    animation.positions(frame, Y);
    for (let f = 0; f < fields.length; f++) fields[f].values(frame, values[f]);
    const head = `${startFrame + frame},${frame / animation.rate},`;
    for (let i = 0; i < animation.n; i++) {
      let row = `${head}${i},${Y[3 * i]},${Y[3 * i + 1]},${Y[3 * i + 2]}`;
      for (const value of values) row += `,${value[i]}`;
      yield `${row}\n`;
    }
  }
}

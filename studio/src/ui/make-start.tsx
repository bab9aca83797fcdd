/** How a sheet starts: flat, or rolled about an axis in it. */
import type { JSX } from "preact";
import type { PoseInput, Scene, SheetInput } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Choice, NumberRow } from "./controls.tsx";

const STARTS = [
  { value: "flat", label: "flat" },
  { value: "cylinder", label: "rolled", hint: "on a cylinder, whose axis lies in the sheet" },
] as const;
type Start = (typeof STARTS)[number]["value"];

/** m: a sheet that is rolled for the first time goes a third of the way around. */
function usualRadius({ shape }: SheetInput): number {
  const width = "width" in shape ? shape.width : "radius" in shape ? 2 * shape.radius : 0.4;
  return Number((width / 2).toPrecision(2));
}

function withStart(sheet: SheetInput, start: Start): SheetInput {
  const { position, rotation } = sheet.pose ?? {};
  const placed = { ...(position && { position }), ...(rotation && { rotation }) };
  const pose: PoseInput =
    start === "flat"
      ? { ...placed }
      : { ...placed, type: "cylinder", radius: usualRadius(sheet), angle: 90 };
  return { ...sheet, pose };
}

function withPose(sheet: SheetInput, values: { radius?: number; angle?: number }): SheetInput {
  return { ...sheet, pose: { ...sheet.pose, ...values } as PoseInput };
}

export function StartFields({ scene, sheet }: { scene: Scene; sheet: SheetInput }): JSX.Element {
  const { pose } = scene.sheets[0];
  if (pose.type !== "flat" && pose.type !== "cylinder") return <></>;
  return (
    <>
      <Choice
        label="Starts"
        effect="restarts"
        value={pose.type}
        options={STARTS}
        onChange={(start) => studio.changeSheet((old) => withStart(old, start))}
      />
      {pose.type === "cylinder" && sheet.pose?.type === "cylinder" && (
        <>
          <NumberRow
            label="Rolled to a radius of"
            value={sheet.pose.radius}
            unit="m"
            hint="Below 0 it is rolled downwards"
            onChange={(radius) =>
              radius !== 0 && studio.changeSheet((old) => withPose(old, { radius }), "roll radius")
            }
          />
          <NumberRow
            label="Axis, from its height"
            value={typeof sheet.pose.angle === "number" ? sheet.pose.angle : 0}
            unit="°"
            hint="0: rolled along its width. 90: rolled along its height"
            onChange={(angle) =>
              studio.changeSheet((old) => withPose(old, { angle }), "roll angle")
            }
          />
        </>
      )}
    </>
  );
}

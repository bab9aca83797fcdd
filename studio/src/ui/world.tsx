/** What pulls and blows: gravity, air, pressure. */
import type { JSX } from "preact";
import type { Scene, Vec3 } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Section, Slider } from "./controls.tsx";

export function WorldSection({ scene }: { scene: Scene }): JSX.Element {
  const { gravity, air, contact } = scene;
  const strength = Math.hypot(...gravity);
  const wind = Math.hypot(air.wind[0], air.wind[1]);
  const heading = wind > 0 ? (Math.atan2(air.wind[1], air.wind[0]) * 180) / Math.PI : 0;
  const setWind = (speed: number, degrees: number): void => {
    const a = (degrees * Math.PI) / 180;
    const round = (x: number): number => Math.round(x * 1e4) / 1e4;
    studio.change(
      (input) => ({
        ...input,
        air: {
          ...input.air,
          wind: [round(speed * Math.cos(a)), round(speed * Math.sin(a)), input.air?.wind?.[2] ?? 0],
          // wind pushes on the normal of the sheet, which needs the air's density
          ...(speed > 0 && !input.air?.density ? { density: 1.2 } : {}),
        },
      }),
      "wind",
    );
  };
  const bodies = scene.colliders.length > 0 || contact.self;
  return (
    <Section title="Loads">
      <Slider
        label="Gravity"
        value={Number(strength.toPrecision(4))}
        min={0}
        max={25}
        unit="m/s²"
        onInput={(value) =>
          studio.change((input) => ({ ...input, gravity: downwards(gravity, value) }), "gravity")
        }
      />
      <Slider
        label="Wind"
        value={Number(wind.toPrecision(3))}
        min={0}
        max={15}
        unit="m/s"
        onInput={(value) => setWind(value, heading)}
      />
      {wind > 0 && (
        <Slider
          label="Wind towards"
          value={Math.round(heading)}
          min={-180}
          max={180}
          step={5}
          unit="°"
          onInput={(value) => setWind(wind, value)}
        />
      )}
      <Slider
        label="Drag"
        value={air.drag}
        min={0}
        max={5}
        unit="N·s/m³"
        hint="Linear drag of the air per area: how soon it comes to rest."
        onInput={(drag) =>
          studio.change((input) => ({ ...input, air: { ...input.air, drag } }), "drag")
        }
      />
      <Slider
        label="Pressure"
        value={scene.pressure}
        min={-50}
        max={50}
        unit="Pa"
        hint="On the front of the sheet: an inflated cushion, a sail."
        onInput={(pressure) => studio.change((input) => ({ ...input, pressure }), "pressure")}
      />
      {bodies && (
        <Slider
          label="Friction"
          value={scene.colliders[0]?.friction ?? contact.friction}
          min={0}
          max={1.5}
          unit="1"
          onInput={(friction) =>
            studio.change(
              (input) => ({
                ...input,
                contact: { ...input.contact, friction },
                colliders: (input.colliders ?? []).map((c) => ({ ...c, friction })),
              }),
              "friction",
            )
          }
        />
      )}
    </Section>
  );
}

/** The same direction, another strength; straight down if there was none. */
function downwards(gravity: Vec3, strength: number): Vec3 {
  const old = Math.hypot(...gravity);
  const round = (x: number): number => Math.round(x * 1e4) / 1e4;
  if (old === 0) return [0, 0, -strength];
  return gravity.map((x) => round((x / old) * strength)) as Vec3;
}

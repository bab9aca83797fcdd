/**
 * The room: light from a large window on one side, a fainter one from the other, a floor that takes the shadow and fades
 * into the background. Light and dark have the same lamps and different walls.
 */
import {
  CircleGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  Scene,
  ShadowMaterial,
} from "three";

export type Theme = "light" | "dark";

export interface StageView {
  readonly scene: Scene;
  setTheme(theme: Theme): void;
  /** Puts lamp and floor where a subject of that size (m) around `centre` needs them. */
  setSubject(centre: readonly [number, number, number], size: number): void;
  /** m; null takes the floor away. */
  setFloor(height: number | null): void;
  dispose(): void;
}

const WALLS = {
  light: { wall: "#efebe4", floor: "#f7f4ee", shade: 0.17, sky: "#fffaf2", earth: "#cfc4b6" },
  dark: { wall: "#1b1917", floor: "#262320", shade: 0.42, sky: "#cdd3dc", earth: "#4b423a" },
} as const;

/**
 * Pixels along a side of the shadow map. A texel is read smoothed, so that few of them make a softer edge than many: twice as many
 * leave the grain of the five places that three.js looks at, and take four times as long without a graphics card.
 */
const SHADOW = 512;
/** Texels around a place within which the shadow is looked at: its edge is as soft as a window makes it. */
const SOFT = 3;

/**
 * @example
 * const stage = createStageView();
 * stage.setTheme("light");
 * renderer.render(stage.scene, camera);
 */
export function createStageView(): StageView {
  const scene = new Scene();
  const wall = new Color();
  scene.background = wall;
  const sky = new HemisphereLight("#ffffff", "#888888", 1.4);
  sky.position.set(0, 0, 1);
  const key = new DirectionalLight("#fff3e2", 2.4);
  key.castShadow = true;
  key.shadow.mapSize.set(SHADOW, SHADOW);
  key.shadow.radius = SOFT;
  const fill = new DirectionalLight("#e8eef7", 0.9);
  scene.add(sky, key, key.target, fill, fill.target);

  const disc = new CircleGeometry(1, 64);
  const ground = new MeshBasicMaterial({ transparent: true, depthWrite: false });
  // bright in the middle, gone at the rim
  ground.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vFloor;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvFloor = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vFloor;")
      .replace(
        "#include <opaque_fragment>",
        "diffuseColor.a *= smoothstep(1.0, 0.15, length(vFloor));\n#include <opaque_fragment>",
      );
  };
  const shade = new ShadowMaterial({ color: "#24180c", transparent: true, depthWrite: false });
  const floor = new Mesh(disc, ground);
  const shadow = new Mesh(disc, shade);
  floor.renderOrder = -2;
  shadow.renderOrder = -1;
  shadow.receiveShadow = true;
  scene.add(floor, shadow);

  return {
    scene,
    setTheme(theme) {
      const colors = WALLS[theme];
      wall.set(colors.wall);
      ground.color.set(colors.floor);
      shade.opacity = colors.shade;
      sky.color.set(colors.sky);
      sky.groundColor.set(colors.earth);
    },
    setSubject([x, y, z], size) {
      const reach = 0.9 * size;
      key.target.position.set(x, y, z);
      key.position.set(x - 0.75 * size, y - 1.5 * size, z + 1.9 * size);
      fill.target.position.set(x, y, z);
      fill.position.set(x + 2 * size, y + 0.6 * size, z + 0.5 * size);
      const { camera } = key.shadow;
      camera.left = -reach;
      camera.right = reach;
      camera.bottom = -reach;
      camera.top = reach;
      camera.near = 0.1 * size;
      camera.far = 5 * size;
      camera.updateProjectionMatrix();
      // as many texels of the map as are looked at around a place, so that a slanted surface does not shade itself
      key.shadow.normalBias = ((SOFT + 1) * (2 * reach)) / SHADOW;
      key.shadow.bias = -8e-4;
      for (const mesh of [floor, shadow]) {
        mesh.scale.setScalar(3.2 * size);
        mesh.position.x = x;
        mesh.position.y = y;
      }
    },
    setFloor(height) {
      for (const mesh of [floor, shadow]) {
        mesh.visible = height !== null;
        if (height !== null) mesh.position.z = height;
      }
    },
    dispose() {
      disc.dispose();
      ground.dispose();
      shade.dispose();
      key.dispose();
      fill.dispose();
      sky.dispose();
    },
  };
}

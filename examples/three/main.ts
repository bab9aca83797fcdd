/** A cloth that runs in a worker, drawn with three.js; drag it with the mouse. */
import { createBodiesView, createSheetView, createStageView, raySheet } from "isoplate/view";
import { createWorkerSimulation, type RemoteHand } from "isoplate/worker";
import { PerspectiveCamera, Plane, Raycaster, Vector2, Vector3, WebGLRenderer } from "three";
import { scene } from "../scene.ts";

const root = document.querySelector<HTMLElement>("#root")!;
const status = document.querySelector<HTMLElement>("#status")!;

// the simulation, in a worker
const worker = new Worker(new URL("./engine.ts", import.meta.url), { type: "module" });
const simulation = await createWorkerSimulation(scene, { worker });
simulation.onStopped = ({ message }) => {
  status.textContent = message;
};

// the picture
const renderer = new WebGLRenderer({ antialias: true });
renderer.shadowMap.enabled = true;
root.append(renderer.domElement);
const camera = new PerspectiveCamera(35, 1, 0.01, 100);
camera.up.set(0, 0, 1);
camera.position.set(1.6, -2.4, 1.4);
camera.lookAt(0, 0, 0.1);
const stage = createStageView();
stage.setTheme("light");
stage.setSubject([0, 0, 0], 1.5);
stage.setFloor(-0.6);
const sheet = createSheetView(simulation.sheet);
const bodies = createBodiesView(simulation.scene.colliders);
stage.scene.add(sheet.object, bodies.object);

const show = (): void => {
  const { frame } = simulation;
  sheet.frame.positions.set(frame.positions);
  sheet.frame.normals.set(frame.normals);
  sheet.changed();
  bodies.setPoses(frame.poses);
  status.textContent = `t = ${frame.time.toFixed(2)} s`;
};
simulation.onFrame = show;
show();
simulation.run();

const resize = (): void => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener("resize", resize);
resize();
renderer.setAnimationLoop(() => renderer.render(stage.scene, camera));

// the hand: takes the point under the pointer, and moves it in the plane that faces the camera
let hand: RemoteHand | null = null;
const plane = new Plane();
const caster = new Raycaster();
const rayThrough = ({ clientX, clientY }: PointerEvent): void => {
  const at = new Vector2((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight);
  caster.setFromCamera(at, camera);
};
renderer.domElement.addEventListener("pointerdown", (event) => {
  rayThrough(event);
  const { origin, direction } = caster.ray;
  const { positions } = simulation.frame;
  const hit = raySheet(
    origin.toArray(),
    direction.toArray(),
    positions,
    simulation.sheet.triangles,
  );
  if (hit === null) return;
  plane.setFromNormalAndCoplanarPoint(
    camera.getWorldDirection(new Vector3()),
    new Vector3(...hit.at),
  );
  hand = simulation.grab([hit.point], [...hit.at]);
  renderer.domElement.setPointerCapture(event.pointerId);
});
renderer.domElement.addEventListener("pointermove", (event) => {
  if (hand === null) return;
  rayThrough(event);
  const target = caster.ray.intersectPlane(plane, new Vector3());
  if (target !== null) hand.moveTo(target.toArray());
});
const letGo = (): void => {
  hand?.release();
  hand = null;
};
renderer.domElement.addEventListener("pointerup", letGo);
renderer.domElement.addEventListener("pointercancel", letGo);

Object.assign(globalThis, { simulation }); // to play with in the console

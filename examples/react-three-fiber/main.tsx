/** A cloth as a React component, on react-three-fiber; drag it with the mouse. */
import { Canvas, type ThreeEvent } from "@react-three/fiber";
import { createWorkerSimulation, type RemoteHand, type WorkerSimulation } from "isoplate/worker";
import { useEffect, useMemo, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { BufferAttribute, BufferGeometry, DoubleSide, Plane, Vector3 } from "three";
import { scene } from "../scene.ts";

/** The simulation of a scene in a worker of its own, which ends with the component. */
function useSimulation(): WorkerSimulation | null {
  const [simulation, setSimulation] = useState<WorkerSimulation | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL("./engine.ts", import.meta.url), { type: "module" });
    let made: WorkerSimulation | null = null;
    let gone = false;
    createWorkerSimulation(scene, { worker }).then((ready) => {
      if (gone) return ready.dispose();
      made = ready;
      Object.assign(globalThis, { simulation: ready }); // to play with in the console
      setSimulation(ready);
      ready.run();
    }, console.error);
    return () => {
      gone = true;
      made?.dispose();
    };
  }, []);
  return simulation;
}

function Cloth({ simulation }: { simulation: WorkerSimulation }) {
  const geometry = useMemo(() => {
    const made = new BufferGeometry();
    const { n, triangles } = simulation.sheet;
    made.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
    made.setAttribute("position", new BufferAttribute(new Float32Array(3 * n), 3));
    made.setAttribute("normal", new BufferAttribute(new Float32Array(3 * n), 3));
    return made;
  }, [simulation]);
  useEffect(() => {
    const show = ({ positions, normals, time }: WorkerSimulation["frame"]): void => {
      const { position, normal } = geometry.attributes;
      (position.array as Float32Array).set(positions);
      (normal.array as Float32Array).set(normals);
      position.needsUpdate = true;
      normal.needsUpdate = true;
      geometry.computeBoundingSphere(); // what a ray is tested against
      document.querySelector("#status")!.textContent = `t = ${time.toFixed(2)} s`;
    };
    simulation.onFrame = show;
    show(simulation.frame);
  }, [simulation, geometry]);

  const hand = useRef<RemoteHand | null>(null);
  const plane = useRef(new Plane());
  const take = (event: ThreeEvent<PointerEvent>): void => {
    if (!event.face) return;
    const facing = event.camera.getWorldDirection(new Vector3());
    plane.current.setFromNormalAndCoplanarPoint(facing, event.point);
    hand.current = simulation.grab([event.face.a], event.point.toArray());
    (event.target as Element).setPointerCapture(event.pointerId);
  };
  const move = (event: ThreeEvent<PointerEvent>): void => {
    const target = event.ray.intersectPlane(plane.current, new Vector3());
    if (target) hand.current?.moveTo(target.toArray());
  };
  const letGo = (): void => {
    hand.current?.release();
    hand.current = null;
  };
  return (
    <mesh geometry={geometry} onPointerDown={take} onPointerMove={move} onPointerUp={letGo}>
      <meshStandardMaterial color="#b8412f" side={DoubleSide} roughness={0.8} />
    </mesh>
  );
}

function App() {
  const simulation = useSimulation();
  return (
    <Canvas camera={{ up: [0, 0, 1], position: [1.6, -2.4, 1.4], fov: 35 }}>
      <color attach="background" args={["#efebe4"]} />
      <hemisphereLight intensity={1.4} position={[0, 0, 1]} />
      <directionalLight intensity={2.4} position={[2, -1, 3]} />
      <mesh>
        <sphereGeometry args={[0.245, 48, 32]} />
        <meshStandardMaterial color="#cfc4b6" />
      </mesh>
      {simulation && <Cloth simulation={simulation} />}
    </Canvas>
  );
}

createRoot(document.querySelector("#root")!).render(<App />);

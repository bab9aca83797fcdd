/** Parts of the page that are loaded when they are first looked at. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

type Part = () => JSX.Element | null;

/** @param load gives the component; asked once */
export function lazy(load: () => Promise<Part>): Part {
  let Loaded: Part | null = null;
  return function Lazy() {
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      if (Loaded !== null) return;
      void load().then((part) => {
        Loaded = part;
        setLoaded(true);
      });
    }, []);
    return Loaded === null ? null : <Loaded />;
  };
}

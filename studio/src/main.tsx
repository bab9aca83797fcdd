/** The page: state first, then what shows it. */
import { render } from "preact";
import * as studio from "./studio.ts";
import { App } from "./ui/app.tsx";
import "./ui/style.css";

export function begin(): void {
  void studio.start();
  render(<App />, document.getElementById("app") as HTMLElement);
}

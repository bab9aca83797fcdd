/** The first script of the page: starts the workers, then loads the page. */
import { startEarly } from "./early.ts";

startEarly();
void import("./main.tsx").then(({ begin }) => begin());

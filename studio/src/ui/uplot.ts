/** uPlot with its style sheet, as one chunk. */
import "uplot/dist/uPlot.min.css";

export { default } from "uplot";

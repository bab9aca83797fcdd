/** The worker: the simulation runs here. */
import "isoplate/worker/engine";

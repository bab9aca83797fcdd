/** A thread of partner.ts: factors what it is asked to. */
import { workerData } from "node:worker_threads";
import { type PartnerData, serve } from "../kernels/partner.ts";

serve(workerData as PartnerData);

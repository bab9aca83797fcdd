/** A thread of threads.ts: does what it is asked to. */
import { workerData } from "node:worker_threads";
import { type PartnerData, serve } from "../kernels/partner.ts";
import { serveTeam, type TeamData } from "../kernels/team.ts";

const { partner, team } = workerData as { partner?: PartnerData; team?: TeamData };
if (partner) serve(partner);
if (team) serveTeam(team);

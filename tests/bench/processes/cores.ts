import { availableParallelism } from "node:os";

if (availableParallelism() < 2) throw new Error("the bench needs two cores: one for the contestant, one for the load");

/**
 * The contestant has its own core. The load generator and the upstream share another core, or have one each if there
 * are three.
 */
export const cores = { load: 0, contestant: 1, upstream: availableParallelism() > 2 ? 2 : 0 };

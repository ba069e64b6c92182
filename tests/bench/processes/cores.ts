import { availableParallelism } from "node:os";

if (availableParallelism() < 2) throw new Error("the benchmark needs two cores: one for the program, one for the load");

/**
 * The contestant has its own core. The load generator and the upstream share another core, or have one each if there
 * are three cores.
 */
export const cores = { load: 0, contestant: 1, upstream: availableParallelism() > 2 ? 2 : 0 };

/** All cores, as `taskset` writes them. */
export const everyCore = `0-${availableParallelism() - 1}`;

import type { ResolveHost } from "@tollgate/runtime/resolve-host.ts";

const MAX_RUNNING = 2;
/** A lookup that was given up keeps waiting, so hosts that never resolve could fill the memory. */
const MAX_WAITING = 100;

/**
 * Limits concurrent lookups. A lookup occupies a thread of a pool that the whole process shares, half of which is for
 * lookups. Hosts of webhooks that resolve slowly must not delay the lookups of a gateway in the same process.
 */
export function limitLookups(resolve: ResolveHost): ResolveHost {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (host) => {
    if (waiting.length >= MAX_WAITING) throw new Error("too many lookups are waiting");
    // A lookup that ends passes its place on to the next one.
    if (running >= MAX_RUNNING) await new Promise<void>((start) => waiting.push(start));
    else running += 1;
    try {
      return await resolve(host);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

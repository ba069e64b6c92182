import type { Instance } from "../stage/start-instance.ts";

/** Series of `GET /metrics`, by name and labels as they are written. */
export type Counters = ReadonlyMap<string, number>;

/** Reads the metrics of an instance. */
export async function readCounters({ url, apiKey }: Instance): Promise<Counters> {
  const answer = await fetch(`${url}/metrics`, { headers: { "x-gw-api-key": apiKey } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`/metrics is ${answer.status}: ${text}`);
  return new Map(
    text.split("\n").flatMap((line) => {
      const found = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line);
      return found === null ? [] : [[String(found[1]), Number(found[2])] as const];
    }),
  );
}

/** Returns by how much the series of a metric with this label grew. */
export function growthOf(
  { before, after }: { readonly before: Counters; readonly after: Counters },
  metric: string,
  label: string,
): number {
  const sum = (counters: Counters) =>
    [...counters].reduce(
      (total, [name, value]) => (name.startsWith(`${metric}{`) && name.includes(label) ? total + value : total),
      0,
    );
  return sum(after) - sum(before);
}

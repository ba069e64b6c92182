import type { ThreadTimes } from "../measure/process-usage.ts";
import { align } from "./align.ts";

const titles: Readonly<Record<string, string>> = {
  main: "main",
  delivery: "delivery",
  journal: "journal",
  worker: "worker",
  v8Workers: "V8 workers",
  libuvPool: "libuv pool",
  workerProcess: "worker process",
  supervisor: "supervisor",
  platformProcess: "platform process",
};
/** Groups that use less than this in every row have no column. */
const minMicros = 0.05;

interface ThreadRow {
  readonly name: string;
  readonly threadMicros: ThreadTimes;
}

/** Formats the CPU time per call of each group of threads, for all programs that run on Node. */
export function threadTable(rows: readonly ThreadRow[]): string {
  const onNode = rows.filter(({ threadMicros }) => "main" in threadMicros);
  const groups = orderGroups(onNode).filter((group) =>
    onNode.some(({ threadMicros }) => (threadMicros[group] ?? 0) >= minMicros),
  );
  if (groups.length === 0) return "";
  const lines = onNode.map(({ name, threadMicros }) => [
    name,
    ...groups.map((group) => (group in threadMicros ? (threadMicros[group] ?? 0).toFixed(1) : "")),
  ]);
  return `CPU µs per call by thread, median\n${align([["", ...groups.map((group) => titles[group] ?? group)], ...lines])}`;
}

/** Returns the groups of all rows: the known ones in their order, then the others. */
function orderGroups(rows: readonly ThreadRow[]): string[] {
  const present = new Set(rows.flatMap(({ threadMicros }) => Object.keys(threadMicros)));
  const known = Object.keys(titles).filter((group) => present.has(group));
  return [...known, ...[...present].filter((group) => !(group in titles)).sort()];
}

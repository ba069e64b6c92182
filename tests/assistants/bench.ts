import { parseArgs } from "node:util";
import { measureRuns } from "./measure-runs.ts";

const USAGE = `Measure how long runs wait for a worker and how long they take. Runs are concurrent, each in its own thread.

  node tests/assistants/bench.ts
  node tests/assistants/bench.ts --runs 50 --workers 1 --json

  --runs N      number of runs that are created concurrently (200)
  --workers N   number of worker processes with 50 slots each (4)
  --json        print the result as one JSON object on the last line
`;

const MAX_WAIT_MS = 1_000;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    workers: { type: "string", default: "4" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const [runs, workers] = [Number(values.runs), Number(values.workers)];
const isUnderstood = [runs, workers].every((count) => Number.isInteger(count) && count > 0);

// Exit explicitly, because exit handlers stop the child processes. Otherwise, the child processes would outlive an
// interrupted run.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.help || !isUnderstood) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const result = await measureRuns({ runs, workers });
  const { waitMs, lifeMs, createMs, byStatus, mostAtOnce } = result;
  process.stdout.write(
    `  ${runs} runs over ${workers} workers, ${mostAtOnce} at once: ${JSON.stringify(byStatus)}\n` +
      `  wait for a worker   p50 ${waitMs.p50} ms · p95 ${waitMs.p95} ms · max ${waitMs.max} ms\n` +
      `  from start to end   p50 ${lifeMs.p50} ms · p95 ${lifeMs.p95} ms · max ${lifeMs.max} ms\n` +
      `  create answered in  p50 ${createMs.p50} ms · p95 ${createMs.p95} ms · max ${createMs.max} ms\n`,
  );
  const ok = waitMs.p95 < MAX_WAIT_MS && byStatus.completed === runs;
  if (values.json) process.stdout.write(`${JSON.stringify({ ok, ...result })}\n`);
  process.exitCode = ok ? 0 : 1;
}

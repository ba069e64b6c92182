import { parseArgs } from "node:util";
import { Report } from "@tollgate/testkit/report.ts";
import { runCanaries } from "./run-canaries.ts";

const USAGE = `Checks that no URL from a caller is followed, and that secrets do not leak.

  node tests/canary/run.ts
  node tests/canary/run.ts --quick --json

  --quick  use one in five lures
  --json   print the result as one JSON object on the last line
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

// Exit explicitly, because exit handlers stop the child processes.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.help) process.stdout.write(USAGE);
else {
  const report = new Report();
  const canary = await runCanaries(report, values.quick);
  const { passed, failed } = report;
  process.exitCode = report.close(values.json ? { passed, failed, ...canary } : null);
}

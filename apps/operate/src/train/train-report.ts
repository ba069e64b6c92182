import { relative } from "node:path";
import { parseArgs } from "node:util";
import { findRun } from "@tollgate/coordinator/project/find-run.ts";
import { readRun } from "@tollgate/coordinator/project/read-run.ts";
import { writeReport } from "@tollgate/coordinator/report/write-report.ts";
import { EXIT, type Io } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";

const USAGE = `Rewrite the report of a run: report.html, metrics.csv, and one SVG file per chart.

  tollgate train report
  tollgate train report tr_01J…

Without a run ID, the most recent run is used. The path of the report goes to standard output.
`;

/** `tollgate train report`: writes a run's report, metrics, and charts from its journal. */
export async function trainReport(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  try {
    const dir = findRun(io.cwd, positionals[0]);
    const { report, metrics, charts } = writeReport(dir, await readRun(dir));
    io.stdout.write(`${relative(io.cwd, report)}\n`);
    io.stderr.write(`  metrics  ${relative(io.cwd, metrics)}\n`);
    for (const chart of charts) io.stderr.write(`  chart    ${relative(io.cwd, chart)}\n`);
    return EXIT.ok;
  } catch (error) {
    return reportTrainFailure(io, error);
  }
}

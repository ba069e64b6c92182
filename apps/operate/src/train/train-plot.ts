import { relative } from "node:path";
import { parseArgs } from "node:util";
import { findRun } from "@tollgate/coordinator/project/find-run.ts";
import { readRun } from "@tollgate/coordinator/project/read-run.ts";
import { terminalChart } from "@tollgate/coordinator/report/terminal-chart.ts";
import { writeReport } from "@tollgate/coordinator/report/write-report.ts";
import { EXIT, type Io } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";

const USAGE = `Plot a run's accuracy in the terminal, and print the path of the chart file.

  tollgate train plot
  tollgate train plot tr_01J…

Without a run ID, the most recent run is used.
`;

/** `tollgate train plot`: plots a run's accuracy in the terminal and writes the chart files. */
export async function trainPlot(args: readonly string[], io: Io): Promise<number> {
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
    const history = await readRun(dir);
    io.stdout.write(`\n  ${history.run}\n\n${terminalChart(history)}`);
    const [chart] = writeReport(dir, history).charts;
    if (chart !== undefined) io.stdout.write(`\n  chart  ${relative(io.cwd, chart)}\n`);
    return EXIT.ok;
  } catch (error) {
    return reportTrainFailure(io, error);
  }
}

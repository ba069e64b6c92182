import { loadavg } from "node:os";
import { within } from "@tollgate/testkit/processes/program.ts";
import { Report } from "@tollgate/testkit/report.ts";
import { Random } from "../random.ts";
import type { Cell, CellResult } from "./cell.ts";
import { endCell } from "./cells/end-cell.ts";
import { cells } from "./cells.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { type CellReport, recordCell, sumUp } from "./report.ts";
import { Schedule } from "./schedule.ts";
import { breakSettlement } from "./stage/break-settlement.ts";
import { type Stage, startStage } from "./stage/stage.ts";
import { warmUp } from "./stage/warm-up.ts";

const STAGE_LIMIT_MS = 180_000;
/** Timeout for a cell. It is long because, in a full run, one cell has hundreds of rounds. */
const QUICK_CELL_LIMIT_MS = 240_000;
const CELL_LIMIT_MS = 1_800_000;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), cells);
  if (options === "help") {
    console.log(USAGE);
    return 0;
  }
  const { seed, rate, seconds } = options;
  const print = (line: string) => console.log(line);
  print(
    `chaos: seed ${seed}, ${rate} calls/s, ${seconds} s each, cells ${options.cells.map(({ id }) => id).join(" ")}`,
  );
  const startedAtMs = performance.now();
  const stage = await within(STAGE_LIMIT_MS, startStage(options.isKept));
  await within(STAGE_LIMIT_MS, warmUp(stage, options.isQuick));
  if (options.broken !== null) await breakSettlement(stage);
  print(`  the stage is set in ${stage.folder} (${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s)`);
  const report = new Report();
  const reports: CellReport[] = [];
  const again = options.cells.flatMap((cell) => Array.from({ length: options.times }, (_, round) => ({ cell, round })));
  const planned = [...again, { cell: endCell, round: 0 }];
  for (const { cell, round } of planned) {
    const ended = await runCell(cell, stage, options, { index: reports.length, round }, print);
    reports.push(ended);
    recordCell(report, ended);
    // A cell that did not finish leaves the stage in an unknown state.
    if (ended.result === null) break;
  }
  const summary = sumUp(reports, seed, rate);
  const isGood = reports.every(({ problems }) => problems.length === 0) && reports.length === planned.length;
  const { cells: count, kills, calls, lost, doubled, overspendNano, wrongRefusals } = summary;
  print(
    `${count} cells, ${kills} kills, ${calls} calls: ${lost} lost, ${doubled} doubled, ` +
      `${overspendNano} nano-USD overspent, ${wrongRefusals} wrongly refused. Again with --seed ${seed}`,
  );
  report.close(options.isJson ? summary : null);
  await within(STAGE_LIMIT_MS, stage.stop()).catch((error: unknown) => console.error(error));
  return isGood ? 0 : 1;
}

async function runCell(
  cell: Cell,
  stage: Stage,
  options: Options,
  { index, round }: { readonly index: number; readonly round: number },
  print: (line: string) => void,
): Promise<CellReport> {
  const { seconds, rate, isQuick, seed } = options;
  const startedAtMs = performance.now();
  const killsBefore = stage.kills;
  print(`    ${cell.id} ${cell.title}`);
  const context = {
    schedule: new Schedule(print),
    random: new Random(seed + index),
    seconds,
    rate,
    isQuick,
    prefix: `${cell.id}${round === 0 ? "" : `.${round}`}-${seed}-`,
    print,
  };
  let result: CellResult | null = null;
  let problems: readonly string[] = [];
  try {
    result = await within(isQuick ? QUICK_CELL_LIMIT_MS : CELL_LIMIT_MS, cell.run(stage, context));
    problems = result.problems;
  } catch (error) {
    problems = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  const elapsed = (performance.now() - startedAtMs) / 1_000;
  const loadAverage = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  const kills = stage.kills - killsBefore;
  return { id: cell.id, title: cell.title, seconds: elapsed, kills, loadAverage, result, problems };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
// Stop everything that is still running, and undo its setup.
process.exit();

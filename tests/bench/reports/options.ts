import { parseArgs } from "node:util";
import { readCount } from "../read-count.ts";

export interface ReportOptions {
  readonly rows: number;
  readonly rounds: number;
  readonly printsJson: boolean;
}

export const usage = `Usage: node tests/bench/reports/run.ts [options]
  --rows N    number of calls in the thirty days (default 5000000)
  --rounds N  number of times that each query runs (default 25)
  --json      print the result as one JSON object on the last line`;

/** Parses the command line. Throws a user-facing error if it is invalid. */
export function readOptions(args: string[]): ReportOptions {
  const { values } = parseArgs({
    args,
    options: { rows: { type: "string" }, rounds: { type: "string" }, json: { type: "boolean", default: false } },
  });
  return {
    rows: readCount("rows", values.rows, 5_000_000),
    rounds: readCount("rounds", values.rounds, 25),
    printsJson: values.json,
  };
}

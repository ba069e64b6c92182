import { parseArgs } from "node:util";
import { readCount } from "../read-count.ts";

export interface BesideOptions {
  readonly rows: number;
  readonly rounds: number;
  readonly askers: number;
  readonly printsJson: boolean;
}

export const usage = `Usage: node tests/bench/beside/run.ts [options]
  --rows N    number of calls in the thirty days that reports cover (default 5000000)
  --rounds N  number of comparisons between calls alone and calls during reports (default 5)
  --askers N  number of users who request reports concurrently (default 2)
  --json      print the result as one JSON object on the last line`;

/** Parses the command line. Throws a user-facing error if it is invalid. */
export function readOptions(args: string[]): BesideOptions {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string" },
      rounds: { type: "string" },
      askers: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  return {
    rows: readCount("rows", values.rows, 5_000_000),
    rounds: readCount("rounds", values.rounds, 5),
    askers: readCount("askers", values.askers, 2),
    printsJson: values.json,
  };
}

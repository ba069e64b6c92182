import { parseArgs } from "node:util";
import { readCount } from "../read-count.ts";

export interface GoodputOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly printsJson: boolean;
}

export const usage = `Usage: node tests/bench/goodput/run.ts [options]
  --quick     one round of short slices, about a minute
  --rounds N  rounds of slices (default 5)
  --json      print the result as one JSON object on the last line`;

/** Parses the command line. Throws a user-facing error if it is invalid. */
export function readOptions(args: string[]): GoodputOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  return {
    rounds: readCount("rounds", values.rounds, values.quick ? 1 : 5),
    sliceMs: values.quick ? 4_000 : 6_000,
    printsJson: values.json,
  };
}

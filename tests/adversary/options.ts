import { parseArgs } from "node:util";
import type { Case } from "./case.ts";
import type { TamperCase } from "./tamper/tamper-case.ts";

export interface Options {
  readonly cases: readonly Case[];
  readonly tamperCases: readonly TamperCase[];
  /** True if only the cases named on the command line run. */
  readonly isSelection: boolean;
  readonly isQuick: boolean;
  readonly isJson: boolean;
  /** Keeps the stage's folder, with all logs, after the run. */
  readonly isKept: boolean;
  readonly seed: number;
}

export const USAGE = `Attack the billing: a hostile upstream records its own bill, and every call is compared with the bill. Then tamper with
the database as its superuser, and require that the ledger verification notices.

  pnpm adversary                   every case
  pnpm adversary --quick           a sample, at most 90 seconds
  pnpm adversary --only NAMES      only these cases, separated by commas

  --list          print the cases and their promises
  --seed N        repeat the calls of an earlier run
  --keep          keep the folder with all logs
  --json          print the result as one JSON object on the last line
`;

/** Parses the command line. Throws an error with a message for the user if the command line is invalid. */
export function readOptions(
  args: readonly string[],
  cases: readonly Case[],
  tamperCases: readonly TamperCase[],
): Options | "help" | "list" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      only: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  if (values.list) return "list";
  const wanted = values.only?.split(",").map((name) => name.trim());
  const unknown = wanted?.filter((name) => ![...cases, ...tamperCases].some((each) => each.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no such case: ${unknown.join(", ")}`);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`not a seed: ${values.seed}`);
  const isWanted = ({ name, isQuick }: Case | TamperCase) =>
    wanted === undefined ? !values.quick || isQuick === true : wanted.includes(name);
  return {
    cases: cases.filter(isWanted),
    tamperCases: tamperCases.filter(isWanted),
    isSelection: wanted !== undefined,
    isQuick: values.quick,
    isJson: values.json,
    isKept: values.keep,
    seed,
  };
}

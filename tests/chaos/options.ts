import { parseArgs } from "node:util";
import type { Cell } from "./cell.ts";

export interface Options {
  readonly cells: readonly Cell[];
  /** Number of times that each cell runs. The runs follow one another on the same stage. */
  readonly times: number;
  readonly isQuick: boolean;
  readonly isJson: boolean;
  /** Keeps the stage's folder, with all logs, after the run. */
  readonly isKept: boolean;
  readonly seconds: number;
  readonly rate: number;
  readonly seed: number;
  /** A deliberate fault in the product, to check that the suite detects it. */
  readonly broken: "double-post" | null;
}

export const USAGE = `Cause every kind of fault in a deployment under load, and verify that no money is lost.

  pnpm chaos                       every cell, about an hour
  pnpm chaos --quick               a sample, about two minutes
  pnpm chaos --cells F1,F17        only these cells

  --seconds N     duration of each fault in seconds (60, quick 4)
  --rate N        calls per second (200, quick 60)
  --times N       number of times to run each cell (1)
  --seed N        repeat the calls and faults of an earlier run
  --broken double-post   settle events without checking that they are new; the run must then fail
  --keep          keep the folder with all logs
  --json          print the result as one JSON object on the last line
`;

/** Parses the command line. Throws a message for the user if the command line is invalid. */
export function readOptions(args: readonly string[], cells: readonly Cell[]): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      cells: { type: "string" },
      times: { type: "string" },
      seconds: { type: "string" },
      rate: { type: "string" },
      seed: { type: "string" },
      broken: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const wanted = values.cells?.split(",").map((id) => id.trim());
  const unknown = wanted?.filter((id) => !cells.some((cell) => cell.id === id)) ?? [];
  if (unknown.length > 0) throw new Error(`no such cell: ${unknown.join(", ")}`);
  if (values.broken !== undefined && values.broken !== "double-post") throw new Error(`--broken ${values.broken}?`);
  const isQuick = values.quick;
  const isWanted = (cell: Cell) =>
    wanted === undefined ? !isQuick || cell.isQuick === true : wanted.includes(cell.id);
  return {
    cells: cells.filter(isWanted),
    times: Math.ceil(readNumber(values.times, 1)),
    isQuick,
    isJson: values.json,
    isKept: values.keep,
    seconds: readNumber(values.seconds, isQuick ? 4 : 60),
    rate: readNumber(values.rate, isQuick ? 60 : 200),
    seed: readNumber(values.seed, Date.now() % 1_000_000),
    broken: values.broken === undefined ? null : "double-post",
  };
}

function readNumber(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`not a number above zero: ${text}`);
  return value;
}

import { parseArgs } from "node:util";
import { readCount } from "../read-count.ts";

export interface SettlementOptions {
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly events: number;
  readonly organizations: number;
  readonly workers: number;
}

export const usage = `Usage: node tests/bench/settlement/run.ts [options]
  --quick            some seconds instead of a minute
  --json             print the result as one JSON object on the last line
  --events N         how many events wait in the log (default 900000, quick 75000)
  --organizations N  whose events they are; half of them the first one's (default 50)
  --workers N        how many processes settle them (default 2)`;

/** Parses the command line. Throws a user-facing error if it is invalid. */
export function readOptions(args: string[]): SettlementOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      events: { type: "string" },
      organizations: { type: "string" },
      workers: { type: "string" },
    },
  });
  return {
    isQuick: values.quick,
    printsJson: values.json,
    events: readCount("events", values.events, values.quick ? 75_000 : 900_000),
    organizations: readCount("organizations", values.organizations, 50),
    workers: readCount("workers", values.workers, 2),
  };
}

import { parseArgs } from "node:util";
import { readCount } from "../read-count.ts";

export interface SettlementOptions {
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly events: number;
  readonly organizations: number;
  readonly workers: number;
  readonly eventsInMessage: number;
}

export const usage = `Usage: node tests/bench/settlement/run.ts [options]
  --quick            a few seconds instead of a minute
  --json             print the result as one JSON object on the last line
  --events N         number of events in the log (default 900000, quick 75000)
  --organizations N  number of organizations; the first one has half of the events (default 50)
  --workers N        number of worker processes (default 2)
  --events-in-message N  number of events in a message (default 500, as from a busy gateway; quiet ones send fewer)`;

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
      "events-in-message": { type: "string" },
    },
  });
  return {
    isQuick: values.quick,
    printsJson: values.json,
    events: readCount("events", values.events, values.quick ? 75_000 : 900_000),
    organizations: readCount("organizations", values.organizations, 50),
    workers: readCount("workers", values.workers, 2),
    eventsInMessage: readCount("events-in-message", values["events-in-message"], 500),
  };
}

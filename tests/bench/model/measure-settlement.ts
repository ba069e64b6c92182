import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Cost of one settled event, from the settlement benchmark. */
export interface SettlementCosts {
  readonly eventsPerSecond: number;
  readonly databaseMicros: number;
  readonly workerMicros: number;
  /** Growth of the database per event, in bytes. */
  readonly databaseBytes: number;
}

const program = fileURLToPath(new URL("../settlement/run.ts", import.meta.url));

/** Settles events with two workers. Ignores whether the settlement benchmark meets its own speed requirement. */
export async function measureSettlement(events: number): Promise<SettlementCosts> {
  const run = promisify(execFile)(process.execPath, [program, "--json", "--events", String(events)]);
  const { stdout } = await run.catch((error: { stdout?: string; message: string }) => {
    if (error.stdout?.includes("databaseMicros")) return { stdout: error.stdout };
    throw new Error(`settlement could not be measured: ${error.message}`);
  });
  const { eventsPerSecond, databaseMicros, workerMicros, databaseBytes } = JSON.parse(
    stdout.trimEnd().split("\n").at(-1) ?? "",
  ) as SettlementCosts;
  return { eventsPerSecond, databaseMicros, workerMicros, databaseBytes };
}

import { writeFileSync } from "node:fs";
import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { type FleetOptions, type FleetReport, toTable } from "./fleet-options.ts";
import { runFleet } from "./run-fleet.ts";

export interface FleetProgramOptions {
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly seed: number;
  /** File for the results; null to write no file. */
  readonly file: string | null;
}

const BIG = { organizations: 100_000, gateways: 200 };
/** Number of gateways per organization if the load balancer routes by key. */
const FEW = 3;

const FULL = {
  organizations: [1_000, 10_000, 100_000],
  gateways: [10, 50, 200],
  callsPerSecond: [100, 1_000, 4_000],
  // Longer than the half minute after which a gateway returns an idle organization's credit.
  time: { warmUpSeconds: 35, seconds: 15 },
  big: { callsPerSecond: 10_000, warmUpSeconds: 35, seconds: 15 },
};
const QUICK = {
  organizations: [100, 1_000, 10_000],
  gateways: [3, 10, 30],
  callsPerSecond: [20, 60, 180],
  time: { warmUpSeconds: 5, seconds: 10 },
  big: { callsPerSecond: 500, warmUpSeconds: 5, seconds: 5 },
};

/**
 * Simulates small fleets of every size, then the large fleet, and prints the results. Returns 0 if there was no
 * overspend.
 */
export async function fleetProgram({ isQuick, printsJson, seed, file }: FleetProgramOptions): Promise<number> {
  const plan = isQuick ? QUICK : FULL;
  const run = async (size: Omit<FleetOptions, "seed" | "admission">): Promise<FleetReport> => {
    const { organizations, gateways, callsPerSecond, spread } = size;
    const name = `${organizations} organizations, ${gateways} gateways (${spread} for each), ${callsPerSecond} calls/s`;
    console.error(name);
    return runFleet({ ...size, seed, admission: STRICT_ADMISSION }, (text) => console.error(`  ${text}`));
  };
  const points: FleetReport[] = [];
  for (const organizations of plan.organizations) {
    for (const gateways of plan.gateways) {
      for (const callsPerSecond of plan.callsPerSecond) {
        points.push(await run({ organizations, gateways, callsPerSecond, spread: gateways, ...plan.time }));
      }
    }
  }
  const big = await run({ ...BIG, ...plan.big, spread: BIG.gateways });
  const bigKept = await run({ ...BIG, ...plan.big, spread: FEW });
  const all = [...points, big, bigKept];
  const isRight = all.every((point) => point.overspend_nanousd === 0 && point.books_difference_nanousd === 0);
  const result = { ...big, kept_to_few_gateways: bigKept, points, seed, ok: isRight };
  if (file !== null) writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(toTable(all));
  if (printsJson) console.log(JSON.stringify(result));
  return isRight ? 0 : 1;
}

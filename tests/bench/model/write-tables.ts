import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { FleetReport } from "../../simulate/fleet/fleet-options.ts";
import { runFleet } from "../../simulate/fleet/run-fleet.ts";
import { describeRun } from "../measure/describe-machine.ts";
import type { ModelData } from "./model-report.ts";
import { databaseCores, PROFILES, sizeUp } from "./sizing.ts";

/** Simulation settings. The warm-up is longer than the 30 seconds after which an unused lease is returned. */
const SIMULATED = { seed: 1, warmUpSeconds: 32, seconds: 4, admission: STRICT_ADMISSION } as const;
/**
 * All gateways in a fleet have the same load, so simulate two gateways and scale the number of statements
 * proportionally.
 */
const GATEWAYS_SIMULATED = 2;

export function writeInputTable(model: ModelData): string {
  const { gateway, settlement, leases, journalBytesPerCall } = model;
  const rows: [string, string][] = [
    ["Base load of requests, cores", String(gateway.callFixedCores)],
    ["A 1 KiB request, CPU µs in the gateway", String(gateway.microsPerCall)],
    ["Each additional KiB of a request, CPU µs", String(gateway.microsPerKiB)],
    ["Base load of streams, cores", String(gateway.streamFixedCores)],
    ["A stream chunk, CPU µs", String(gateway.microsPerChunk)],
    ["Supervisor, gateway, and worker, idle after load, resident MiB", String(gateway.idleMiB)],
    ["Gateway process alone, resident MiB", String(gateway.processMiB)],
    ["Memory per open stream, bytes", String(gateway.bytesPerStream)],
    ["A settled request, CPU µs in Postgres", String(settlement.databaseMicros)],
    ["A settled request, CPU µs in a worker", String(settlement.workerMicros)],
    ["A settled request, bytes in Postgres with its indexes", String(settlement.databaseBytes)],
    ...leases.map(({ organizations, databaseMicros, gatewayMicros }): [string, string] => [
      `A lease statement for ${organizations} ${organizations === 1 ? "organization" : "organizations"}, CPU µs in Postgres and in the gateway`,
      `${databaseMicros}, ${gatewayMicros}`,
    ]),
    ["A request in the journal, bytes", String(journalBytesPerCall)],
    ["Redis commands per second from one process with one busy key", String(gateway.redisCommandsPerSecond)],
  ];
  return `${describeRun(model)}\n\n${toTable(["Input", "Measured"], rows)}`;
}

export function writeCheckTable({ checks }: ModelData): string {
  const rows = checks.map(({ what, unit, predictedMicros, measuredMicros, errorPercent }) => [
    what,
    `${predictedMicros} µs per ${unit}`,
    `${measuredMicros} µs per ${unit}`,
    `${errorPercent}%`,
  ]);
  return toTable(["Load", "Predicted", "Measured", "Error"], rows);
}

/**
 * Writes a table of the profiles, each at its maximum load. The statement counts are extrapolated from a simulation of
 * at most two gateways with a proportional share of the calls.
 */
export async function writeSizingTable(model: ModelData): Promise<string> {
  const rows: string[][] = [];
  for (const profile of PROFILES) {
    const capacity = sizeUp(profile, model);
    const { processes: gateways, callsPerSecond } = capacity;
    const simulated = Math.min(gateways, GATEWAYS_SIMULATED);
    const times = gateways / simulated;
    const fleet = await runFleet({
      ...SIMULATED,
      organizations: profile.organizations,
      gateways: simulated,
      callsPerSecond: callsPerSecond / times,
      spread: simulated,
    });
    const cores = databaseCores(model, callsPerSecond, fleet.lease_statements_per_second * times);
    rows.push([
      profile.name,
      `${profile.instances} × ${profile.coresEach} × ${profile.memoryGiB} GiB`,
      String(profile.organizations),
      whole(callsPerSecond),
      whole(capacity.streams),
      `${capacity.streamMemoryGiB.toFixed(1)} GiB`,
      profile.isAllInOne ? "shared core" : cores.toFixed(1),
      whole(fleet.statements_per_second * times),
      capacity.redisCommandsPerSecond === 0 ? "not needed" : whole(capacity.redisCommandsPerSecond),
      capacity.natsMessagesPerSecond === 0 ? "not needed" : whole(capacity.natsMessagesPerSecond),
      `${capacity.journalGiBPerDay.toFixed(1)} GiB`,
      `${capacity.databaseGiBPerDay.toFixed(1)} GiB`,
    ]);
  }
  const head = [
    "Profile",
    "Instances × CPU × memory",
    "Organizations",
    "Requests/s",
    "or open streams",
    "Memory with streams",
    "Postgres cores busy",
    "Postgres statements/s",
    "Redis commands/s",
    "NATS messages/s",
    "Journal written per day",
    "Log growth per day",
  ];
  return toTable(head, rows);
}

export function writeFleetTable(
  fleet: FleetReport & { readonly points: readonly FleetReport[]; readonly kept_to_few_gateways: FleetReport },
): string {
  const { points, kept_to_few_gateways: kept, ...big } = fleet;
  const rows = [...points, big, kept].map((report) => [
    whole(report.organizations),
    whole(report.gateways),
    report.spread === report.gateways ? "all" : String(report.spread),
    whole(report.calls_per_second),
    whole(report.lease_statements_per_second),
    whole(report.settle_statements_per_second),
    whole(report.confirm_statements_per_second),
    whole(report.key_statements_per_second),
    whole(report.feed_statements_per_second),
    whole(report.statements_per_second),
    `${(report.calls_that_waited_share * 100).toFixed(0)}%`,
    whole(report.overspend_nanousd),
  ]);
  const head = [
    "Organizations",
    "Gateways",
    "Gateways per organization",
    "Requests/s",
    "Lease statements/s",
    "Settle",
    "Confirm",
    "Key",
    "Feed",
    "Total",
    "Requests that waited for a lease",
    "Overspend, nano-USD",
  ];
  return toTable(head, rows);
}

/** Writes why the gateways of the two largest fleets ask the ledger. */
export function writeCauseTable(fleet: FleetReport & { readonly kept_to_few_gateways: FleetReport }): string {
  const { kept_to_few_gateways: kept, ...big } = fleet;
  const rows = [big, kept].map(({ spread, gateways, lease_requests_per_second: causes }) => [
    spread === gateways ? "all" : String(spread),
    whole(causes.for_holds),
    whole(causes.to_return),
    whole(causes.to_refill),
    whole(causes.without_credit),
  ]);
  const head = ["Gateways per organization", "For a waiting hold", "Return", "Refill", "Without credit to move"];
  return toTable(head, rows);
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

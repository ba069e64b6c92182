import { callsWithin, chunksWithin } from "./cost-model.ts";
import type { ModelData } from "./model-report.ts";

/** Planned core utilization. The rest is reserved for bursts and for the failure of a machine. */
export const PLANNED_SHARE = 0.6;
/** Chunks per second from one stream. A typical model writes about this many tokens per second. */
export const CHUNKS_PER_STREAM = 30;
const DAY_SECONDS = 86_400;
/** Messages per second that a gateway sends to the event log, in batches. */
const MESSAGES_PER_PROCESS = 10;

/** A typical installation. */
export interface Profile {
  readonly name: string;
  readonly instances: number;
  readonly coresEach: number;
  readonly memoryGiB: number;
  readonly organizations: number;
  /** True if the database and the worker share the gateway's cores. */
  readonly isAllInOne: boolean;
}

export const PROFILES: readonly Profile[] = [
  { name: "Laptop", instances: 1, coresEach: 1, memoryGiB: 1, organizations: 3, isAllInOne: true },
  { name: "Team", instances: 2, coresEach: 1, memoryGiB: 1, organizations: 30, isAllInOne: false },
  { name: "Company", instances: 3, coresEach: 2, memoryGiB: 2, organizations: 500, isAllInOne: false },
  { name: "Platform", instances: 4, coresEach: 4, memoryGiB: 4, organizations: 10_000, isAllInOne: false },
];

/** Capacity of a profile, for one kind of load at a time. */
export interface Capacity {
  readonly processes: number;
  readonly callsPerSecond: number;
  /** Maximum number of streams if the machine serves only streams and no other calls. */
  readonly streams: number;
  readonly streamMemoryGiB: number;
  readonly redisCommandsPerSecond: number;
  readonly natsMessagesPerSecond: number;
  readonly journalGiBPerDay: number;
  readonly databaseGiBPerDay: number;
}

export function sizeUp(profile: Profile, model: ModelData): Capacity {
  const { gateway, settlement } = model;
  const processes = profile.instances * profile.coresEach;
  // If all processes share the cores, the cost of each call includes its settlement.
  const beside = profile.isAllInOne ? settlement.databaseMicros + settlement.workerMicros : 0;
  const costs = { ...gateway, microsPerCall: gateway.microsPerCall + beside };
  const perProcess = Math.floor(callsWithin(costs, PLANNED_SHARE));
  const streams = Math.floor((chunksWithin(gateway, PLANNED_SHARE) / CHUNKS_PER_STREAM) * processes);
  const restMiB = profile.instances * (gateway.idleMiB - gateway.processMiB) + processes * gateway.processMiB;
  const memory = restMiB * 2 ** 20 + streams * gateway.bytesPerStream;
  const callsPerSecond = perProcess * processes;
  const perDay = callsPerSecond * DAY_SECONDS;
  return {
    processes,
    callsPerSecond,
    streams,
    streamMemoryGiB: memory / 2 ** 30,
    redisCommandsPerSecond: processes > 1 ? gateway.redisCommandsPerSecond * processes : 0,
    natsMessagesPerSecond: profile.isAllInOne ? 0 : MESSAGES_PER_PROCESS * processes,
    journalGiBPerDay: (perDay * model.journalBytesPerCall) / 2 ** 30,
    databaseGiBPerDay: (perDay * settlement.databaseBytes) / 2 ** 30,
  };
}

/** Returns the number of database cores needed for this many calls and for the simulated lease statements. */
export function databaseCores(model: ModelData, callsPerSecond: number, leaseStatementsPerSecond: number): number {
  const lease = model.leases[0]?.databaseMicros ?? Number.NaN;
  return (callsPerSecond * model.settlement.databaseMicros + leaseStatementsPerSecond * lease) / 1e6;
}

import { describeMachine } from "../measure/describe-machine.ts";
import type { Stage } from "../sections/stage.ts";
import { coresForCalls, coresForChunks, fitLine, type GatewayCosts } from "./cost-model.ts";
import { chunksOf, type GatewayMeasurement, measureGateway } from "./measure-gateway.ts";
import { measureLeases } from "./measure-leases.ts";
import { measureSettlement } from "./measure-settlement.ts";
import { plan } from "./plan.ts";
import { recordBytes } from "./record-bytes.ts";

/** Maximum relative error of a prediction. */
const tolerated = 0.15;

/** A load size that was not used to fit the model, with its predicted and measured cost per call or chunk. */
export interface ModelCheck {
  readonly what: string;
  readonly unit: "call" | "chunk";
  readonly predictedMicros: number;
  readonly measuredMicros: number;
  readonly errorPercent: number;
}

/** Data for the scaling documentation. */
export interface ModelData {
  readonly startedAt: string;
  readonly elapsedSeconds: number;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly gateway: GatewayCosts &
    Pick<GatewayMeasurement, "idleMiB" | "processMiB" | "bytesPerStream" | "redisCommandsPerSecond">;
  readonly settlement: Awaited<ReturnType<typeof measureSettlement>>;
  readonly leases: Awaited<ReturnType<typeof measureLeases>>;
  readonly journalBytesPerCall: number;
  /** Number of cores at each load size, by round. */
  readonly raw: {
    readonly sizes: ReturnType<typeof plan>;
    readonly calls: readonly (readonly number[])[];
    readonly streams: readonly (readonly number[])[];
  };
  readonly checks: readonly ModelCheck[];
  readonly ok: boolean;
}

/** Measures the inputs to the scaling model, predicts the cost of other load sizes, and measures those sizes. */
export async function modelReport(stage: Stage, startedAt: string): Promise<{ text: string; data: ModelData }> {
  const measured = await measureGateway(stage);
  stage.showProgress("model: lease statements");
  const leases = await measureLeases(stage.isQuick ? 400 : 2000);
  stage.showProgress("model: settlement");
  const settlement = await measureSettlement(stage.isQuick ? 40_000 : 200_000);
  const costs = fit(measured, stage.isQuick);
  const checks = check(costs, measured, stage.isQuick);
  const { idleMiB, processMiB, bytesPerStream, redisCommandsPerSecond } = measured;
  const data: ModelData = {
    startedAt,
    elapsedSeconds: Math.round(performance.now() / 1000),
    rounds: stage.rounds,
    isQuick: stage.isQuick,
    machine: describeMachine(),
    gateway: { ...costs, idleMiB, processMiB, bytesPerStream, redisCommandsPerSecond },
    settlement,
    leases,
    journalBytesPerCall: recordBytes(),
    raw: { sizes: plan(stage.isQuick), calls: measured.callCoresByRound, streams: measured.chunkCoresByRound },
    checks,
    ok: checks.every(({ errorPercent }) => Math.abs(errorPercent) <= tolerated * 100),
  };
  return { text: toText(data), data };
}

function fit({ callCores, chunkCores }: GatewayMeasurement, isQuick: boolean): GatewayCosts {
  const { callSizes, streamCounts } = plan(isQuick);
  const at = (index: number) => ({
    perSecond: callSizes[index]?.callsPerSecond ?? 0,
    cores: callCores[index] ?? Number.NaN,
  });
  const calls = fitLine(at(0), at(1));
  const large = at(2);
  const withoutMore = calls.fixedCores + (large.perSecond * calls.microsEach) / 1e6;
  const microsPerKiB = ((large.cores - withoutMore) * 1e6) / large.perSecond / (callSizes[2]?.moreKiB ?? 1);
  const held = (index: number) => ({
    perSecond: chunksOf(streamCounts[index] ?? 0),
    cores: chunkCores[index] ?? Number.NaN,
  });
  const chunks = fitLine(held(0), held(1));
  return {
    callFixedCores: round(calls.fixedCores, 4),
    microsPerCall: round(calls.microsEach, 1),
    microsPerKiB: round(microsPerKiB, 2),
    streamFixedCores: round(chunks.fixedCores, 4),
    microsPerChunk: round(chunks.microsEach, 1),
  };
}

function check(costs: GatewayCosts, { callCores, chunkCores }: GatewayMeasurement, isQuick: boolean): ModelCheck[] {
  const { callSizes, streamCounts } = plan(isQuick);
  const calls = callSizes.slice(3).map(({ callsPerSecond, moreKiB }, index) => {
    const what = `${callsPerSecond} calls/s with ${moreKiB + 1} KiB`;
    const predicted = coresForCalls(costs, callsPerSecond, moreKiB);
    return compare(what, "call", callsPerSecond, predicted, callCores[index + 3] ?? Number.NaN);
  });
  const chunks = streamCounts.slice(2).map((streams, index) => {
    const perSecond = chunksOf(streams);
    const what = `${streams} streams, ${perSecond} chunks/s`;
    return compare(what, "chunk", perSecond, coresForChunks(costs, perSecond), chunkCores[index + 2] ?? Number.NaN);
  });
  return [...calls, ...chunks];
}

function compare(
  what: string,
  unit: ModelCheck["unit"],
  perSecond: number,
  predictedCores: number,
  measuredCores: number,
): ModelCheck {
  const micros = (cores: number) => round((cores * 1e6) / perSecond, 1);
  const errorPercent = round((predictedCores / measuredCores - 1) * 100, 1);
  return { what, unit, predictedMicros: micros(predictedCores), measuredMicros: micros(measuredCores), errorPercent };
}

function toText({ gateway, settlement, leases, checks, ok }: ModelData): string {
  const lines = checks.map(
    ({ what, unit, predictedMicros, measuredMicros, errorPercent }) =>
      `${what}: predicted ${predictedMicros} µs per ${unit}, measured ${measuredMicros} (${errorPercent} %)`,
  );
  return [
    `calls: ${gateway.callFixedCores} of a core, ${gateway.microsPerCall} µs each, ${gateway.microsPerKiB} µs per KiB more`,
    `streams: ${gateway.streamFixedCores} of a core, ${gateway.microsPerChunk} µs per chunk, ${gateway.bytesPerStream} bytes each`,
    `settled event: ${settlement.databaseMicros} µs in Postgres, ${settlement.workerMicros} µs in a worker, ${settlement.databaseBytes} bytes`,
    ...leases.map(
      ({ organizations, databaseMicros, gatewayMicros }) =>
        `lease statement of ${organizations}: ${databaseMicros} µs in Postgres, ${gatewayMicros} µs in the gateway`,
    ),
    ...lines,
    ok ? "all predictions are within 15 %" : "a prediction is off by more than 15 %",
  ].join("\n");
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

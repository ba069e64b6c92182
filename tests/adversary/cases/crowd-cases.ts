import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { GATEWAY_PROCESSES } from "../../chaos/stage/tollgate.ts";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import type { AdversaryStage } from "../stage/stage.ts";
import { outputOf, type Script, script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const CLIENTS = { quick: 150, whole: 1_000 };
/** Maximum number of upstream responses that each gateway process keeps reading after the client has disconnected. */
const READINGS_PER_PROCESS = 256;
const MAX_READINGS = READINGS_PER_PROCESS * GATEWAY_PROCESSES;
/** Time for the gateways to notice the disconnects. */
const NOTICE_LIMIT_MS = 3_000;
const OPENED_TOGETHER = 100;
const MEASURE_MS = { quick: 3_000, whole: 6_000 };
const OTHER_GAP_MS = 25;
/** The upstream streams that are still read are mostly empty, so memory growth beyond this amount is a leak. */
const MAX_GROWTH_BYTES = 256 * 1_024 * 1_024;

export const crowdCases: readonly Case[] = [
  {
    name: "crowd-leaves",
    promise: "Clients that all leave at once keep memory and upstream connections within the limits, and all is paid",
    guards: "row 1, 256 readings per process",
    isQuick: true,
    isAlone: true,
    run: crowdLeaves,
  },
];

/** Disconnects a crowd of clients. The streams outlast the measurement, even on a slow machine. */
async function crowdLeaves(context: CaseContext): Promise<CaseOutcome> {
  const { promise: usageAfter, resolve: reportUsage } = Promise.withResolvers<void>();
  try {
    return await measureCrowd(context, script({ hidden: 400, usageAfter }));
  } finally {
    reportUsage();
  }
}

async function measureCrowd(context: CaseContext, own: Script): Promise<CaseOutcome> {
  const { stage, isQuick } = context;
  const pace = isQuick ? "quick" : "whole";
  const [tenant, other] = [await context.addTenant(), await context.addTenant()];
  const { promise: signal, resolve: leave } = Promise.withResolvers<void>();
  const attacks = Array.from({ length: CLIENTS[pace] }, (): Attack => {
    const shape = { nonce: context.nonce(), tenant, model: "mind", isStream: true, maxTokens: outputOf(own) } as const;
    return { ...shape, scripts: [own], cut: { at: "event", event: signal } };
  });
  const memoryBefore = residentBytes(stage);
  const running: Promise<unknown>[] = [];
  for (let start = 0; start < attacks.length; start += OPENED_TOGETHER) {
    const group = attacks.slice(start, start + OPENED_TOGETHER);
    running.push(...group.map(context.attack));
    await Promise.all(group.map(({ nonce }) => Promise.race([stage.hostile.received(nonce), pause(5_000)])));
  }
  const othersBefore = await measureOthers(context, other, 1_000);
  const openBefore = stage.hostile.openAttempts;
  leave();
  await Promise.all(running);
  // In a quick run, the crowd is too small to exceed the limit.
  if (!isQuick && openBefore <= MAX_READINGS) throw new Error(`only ${openBefore} upstream streams were open`);
  const deadline = performance.now() + NOTICE_LIMIT_MS;
  do await pause(250);
  while (stage.hostile.openAttempts > MAX_READINGS && performance.now() < deadline);
  const openAfter = stage.hostile.openAttempts;
  const others = await measureOthers(context, other, MEASURE_MS[pace]);
  const grown = residentBytes(stage) - memoryBefore;
  const problems: string[] = [];
  if (openAfter > MAX_READINGS) problems.push(`${openAfter} upstream streams are open, ${MAX_READINGS} may be`);
  if (grown > MAX_GROWTH_BYTES) problems.push(`memory grew by ${grown} bytes`);
  if (others.failed > 0) problems.push(`${others.failed} calls of others failed`);
  return {
    calls: [
      ...attacks.map(({ nonce }) => ({ nonce, expects: CUT }) as const),
      ...[...othersBefore.nonces, ...others.nonces].map((nonce) => exactly({ nonce })),
    ],
    problems,
    figures: {
      crowdClients: attacks.length,
      crowdOpenBefore: openBefore,
      crowdOpenAfter: openAfter,
      crowdMemoryGrowthMiB: Math.round(grown / 1_024 / 1_024),
      otherP99MsBefore: othersBefore.p99,
      otherP99MsDuring: others.p99,
    },
  };
}

/**
 * If the gateway stops reading a stream because of the limit, it charges an estimate. The remainder of the hold covers
 * the upstream's bill.
 */
const CUT = { kind: "estimate", tolerance: 0.02, mayExceed: true, limits: ["disconnect_capacity"] } as const;

interface Others {
  readonly nonces: readonly string[];
  readonly p99: number;
  readonly failed: number;
}

/** Measures short calls from another organization, made sequentially on each of four connections. */
async function measureOthers(context: CaseContext, tenant: Attack["tenant"], forMs: number): Promise<Others> {
  const until = performance.now() + forMs;
  const nonces: string[] = [];
  const times: number[] = [];
  let failed = 0;
  const work = async () => {
    while (performance.now() < until) {
      const nonce = context.nonce();
      nonces.push(nonce);
      const { status, elapsedMs } = await context.attack({ nonce, tenant, model: "cheap", isStream: true });
      times.push(elapsedMs);
      if (status !== 200) failed += 1;
      await pause(OTHER_GAP_MS);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  times.sort((left, right) => left - right);
  return { nonces, failed, p99: Math.round(times[Math.floor(times.length * 0.99)] ?? 0) };
}

function residentBytes({ tollgate }: AdversaryStage): number {
  const pids = Array.from({ length: GATEWAY_PROCESSES }, (_, index) => tollgate.gatewayPid(index));
  return pids.reduce<number>((sum, pid) => sum + (pid === null ? 0 : residentOf(pid)), 0);
}

function residentOf(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kibibytes ?? 0) * 1_024;
}

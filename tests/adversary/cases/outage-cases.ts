import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import { describeGateway } from "../../chaos/cells/gateway-cells.ts";
import type { Attack, Case, CaseContext, ExpectedCall } from "../case.ts";
import { inBatches } from "../case.ts";
import type { CallLog } from "../client/send-call.ts";
import type { AdversaryStage } from "../stage/stage.ts";
import { type Script, script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const CALLS = 24;
const KILLED_CALLS = 12;
const TOGETHER = 12;

export const outageCases: readonly Case[] = [
  {
    name: "redis-unavailable",
    promise: "Without Redis every call is charged what the upstream billed",
    guards: "rule: Redis holds nothing that money needs",
    isQuick: true,
    isAlone: true,
    run: async (context) => {
      const { redis } = context.stage.engines;
      await redis.kill();
      const calls = await callAndLeave(context);
      await redis.start();
      return { calls };
    },
  },
  {
    name: "nats-unavailable",
    promise: "Without NATS every call is charged what the upstream billed",
    guards: "rule: the journal keeps usage until it is settled",
    isQuick: false,
    isAlone: true,
    run: async (context) => {
      const { log } = context.stage.engines;
      await Promise.all(log.map((node) => node.kill()));
      const calls = await callAndLeave(context);
      await Promise.all(log.map((node) => node.start()));
      return { calls };
    },
  },
  {
    name: "killed-gateway",
    promise: "What a killed gateway could not charge is listed as operator loss, and nothing is charged twice",
    guards: "rule: an out-of-memory kill loses at most what was not yet reported",
    isQuick: true,
    isAlone: true,
    run: killGateway,
  },
  {
    name: "restart-during-readings",
    promise: "A restart neither fails a call nor leaves a reading unpaid",
    guards: "row 7; row 1, disconnect_drain",
    isQuick: false,
    isAlone: true,
    run: restartGateway,
  },
];

/** Makes some calls that the client reads to the end, and some that it disconnects from. */
async function callAndLeave(context: CaseContext): Promise<readonly ExpectedCall[]> {
  const tenant = await context.addTenant();
  const own = script({ hidden: 1_000, usageDelayMs: 200 });
  const attacks = Array.from({ length: CALLS }, (_, index): Attack => {
    const shape = { nonce: context.nonce(), tenant, model: "mind", isStream: index % 2 === 0, scripts: [own] } as const;
    return index % 3 === 0 ? { ...shape, isStream: true, cut: { at: "word", count: 8 } } : shape;
  });
  await inBatches(attacks, TOGETHER, context.attack);
  return attacks.map(exactly);
}

async function killGateway(context: CaseContext) {
  const { stage } = context;
  const attacks = await openLong(context, KILLED_CALLS, script({ frames: 40, gapMs: 75, hidden: 100 }));
  const running = attacks.map(context.attack);
  await Promise.all(running.map((call, index) => reachUpstream(stage, (attacks[index] as Attack).nonce, call)));
  await pause(1_500);
  const before = describeGateway(stage, 0);
  if (before.pid === null) throw new Error("there is no gateway 0");
  signalProcess(before.pid, "SIGKILL");
  stage.kills += 1;
  await stage.tollgate.awaitRestart(0, before);
  await Promise.all(running);
  return { calls: attacks.map(({ nonce }) => ({ nonce, expects: { kind: "killed" } }) as const) };
}

async function restartGateway(context: CaseContext) {
  const { stage } = context;
  const stay = await openLong(context, CALLS, script({ frames: 20, gapMs: 75, hidden: 100 }));
  const left = (await openLong(context, CALLS, script({ hidden: 100, usageDelayMs: 3_000 }))).map(
    (attack): Attack => ({ ...attack, maxTokens: 108, cut: { at: "word", count: 8 } }),
  );
  const running = stay.map(context.attack);
  await Promise.all(left.map(context.attack));
  for (const index of [0, 1]) {
    const before = describeGateway(stage, index);
    if (before.pid !== null) signalProcess(before.pid, "SIGTERM");
    await stage.tollgate.awaitRestart(index, before);
  }
  const logs = await Promise.all(running);
  const failed = logs.filter(({ isComplete }) => !isComplete).length;
  const expects = { kind: "estimate", tolerance: 0.02, mayExceed: true, limits: ["disconnect_drain"] } as const;
  return {
    calls: [...stay.map(exactly), ...left.map(({ nonce }) => ({ nonce, expects }))],
    problems: failed === 0 ? [] : [`${failed} of ${stay.length} calls failed`],
  };
}

/** Opens streams that last for seconds. Uses the cheap model, because the operator pays for the losses. */
async function openLong(context: CaseContext, count: number, own: Script): Promise<readonly Attack[]> {
  const tenant = await context.addTenant();
  return Array.from({ length: count }, () => {
    return { nonce: context.nonce(), tenant, model: "cheap", isStream: true, scripts: [own] };
  });
}

/** Waits until the upstream has a call's request. Throws if the call ends before. */
async function reachUpstream({ hostile }: AdversaryStage, nonce: string, call: Promise<CallLog>): Promise<void> {
  const ended = call.then(({ status, code }) => {
    throw new Error(`call ${nonce} ended before it reached the upstream: ${status} ${code}`);
  });
  await Promise.race([hostile.received(nonce), ended]);
}

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import { writeSettings } from "../models.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const STREAMS = 4;
/** Connections per check. The kernel spreads them over the gateway processes. */
const PROBES = 24;
/** Time in which every process must use a new master key after SIGHUP. */
const ROTATION_LIMIT_MS = 5_000;
const POLL_MS = 50;

export const keyCases: readonly Case[] = [
  {
    name: "master-key-rotation",
    promise:
      "5 s after SIGHUP no process accepts the old master key, and running streams and other keys are unaffected",
    guards: "row 16",
    isQuick: true,
    isAlone: true,
    run: rotateMasterKey,
  },
];

async function rotateMasterKey(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const { hostile, tollgate } = stage;
  const problems: string[] = [];
  const [first, second] = [makeMasterKey(), makeMasterKey()];
  const setKey = (key: string | null) => {
    const general = key === null ? "" : `master_key: ${key}`;
    tollgate.reload({ fileText: writeSettings(hostile.url, hostile.prices, general) });
  };
  const tenant = await context.addTenant();
  setKey(first);
  if (!(await isAnswered(context, first, 200))) {
    return { calls: [], problems: ["a new master key is not accepted after SIGHUP"] };
  }
  const streams = Array.from({ length: STREAMS }, (): Attack => {
    const own = script({ frames: 30, gapMs: 100 });
    return { nonce: context.nonce(), tenant, model: "mind", isStream: true, scripts: [own] };
  });
  const running = streams.map(context.attack);
  await Promise.all(streams.map(({ nonce }) => hostile.received(nonce)));
  setKey(second);
  const rotatedAtMs = performance.now();
  if (!(await isAnswered(context, first, 401))) problems.push("the old master key is still accepted");
  const rotationMs = Math.round(performance.now() - rotatedAtMs);
  if (!(await isAnswered(context, second, 200))) problems.push("the new master key is refused");
  const served = await context.attack({ nonce: context.nonce(), tenant, model: "mind" });
  if (served.status !== 200) problems.push(`another key was answered ${served.status}`);
  const cut = (await Promise.all(running)).filter(({ isComplete }) => !isComplete).length;
  if (cut > 0) problems.push(`${cut} of ${STREAMS} streams were cut`);
  setKey(null);
  if (!(await isAnswered(context, second, 401))) problems.push("a removed master key is still accepted");
  // A restarted process must not bring an old key back.
  const pid = tollgate.gatewayPid(0);
  const before = { pid, epoch: tollgate.readNode(0)?.epoch ?? 0 };
  if (pid !== null) signalProcess(pid, "SIGTERM");
  await tollgate.awaitRestart(0, before);
  for (const key of [first, second]) {
    if (!(await isAnswered(context, key, 401))) problems.push("an old master key works after a restart");
  }
  return { calls: streams.map(exactly), problems, figures: { masterKeyRotationMs: rotationMs } };
}

const makeMasterKey = (): string => `sk-${randomBytes(24).toString("hex")}`;

/** Waits until every one of many new connections gets this status. Returns false after the time limit. */
async function isAnswered({ stage }: CaseContext, key: string, expected: number): Promise<boolean> {
  const deadline = performance.now() + ROTATION_LIMIT_MS;
  for (;;) {
    const statuses = await Promise.all(
      Array.from({ length: PROBES }, async () => {
        const headers = { "x-gw-api-key": key, connection: "close" };
        const { status } = await fetch(`${stage.tollgate.url}/v1/models`, { headers });
        return status;
      }),
    );
    if (statuses.every((status) => status === expected)) return true;
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
}

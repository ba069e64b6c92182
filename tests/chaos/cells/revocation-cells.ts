import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext } from "../cell.ts";
import type { CallLog } from "../load/call-log.ts";
import { makeCall } from "../load/make-call.ts";
import {
  type Account,
  moveCredits,
  openAccount,
  openAdministrator,
  openPlatform,
  requestOrThrow,
} from "../stage/account.ts";
import type { Stage } from "../stage/stage.ts";
import { planContestCall } from "./contest.ts";
import { underLoad } from "./under-load.ts";

/** Maximum time after the platform's response until all new calls are refused. */
const EFFECTIVE_MS = 2_000;
/** Maximum time until all new calls are refused while Redis and the event log are both unavailable. */
const EFFECTIVE_ALONE_MS = 10_000;
const AFTER_MS = 1_500;
const PLENTY = 1_000_000_000_000n;
/** Number of calls after which both gateways have cached the key of each account. */
const CALLERS = 4;
const BETWEEN_CALLS_MS = 50;
const FIRST_ANSWER_MS = 10_000;

export const revocationCells: readonly Cell[] = [
  {
    id: "F45",
    title: "key revoked, team blocked, member removed under load, with and without Redis and the event log",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async () => {
        await openPlatform(stage);
        const administrator = await openAdministrator(stage);
        await revokeAll(stage, context, administrator, EFFECTIVE_MS);
        if (context.isQuick) return;
        const { redis, log } = stage.engines;
        await redis.stop();
        await Promise.all(log.map((node) => node.stop()));
        try {
          await revokeAll(stage, context, administrator, EFFECTIVE_ALONE_MS);
        } finally {
          await redis.start();
          await Promise.all(log.map((node) => node.start()));
        }
      }),
  },
];

/** Revokes access in every possible way, while calls continue on both gateways. */
async function revokeAll(stage: Stage, context: CellContext, administrator: Account, limitMs: number): Promise<void> {
  const ways: Readonly<Record<string, (account: Account) => Promise<unknown>>> = {
    "key disabled": ({ token, keyId }) =>
      requestOrThrow(stage, "POST", "/api/api-keys/update", { token, body: { token: keyId, disabled: true } }),
    "key removed": ({ token, keyId }) =>
      requestOrThrow(stage, "POST", "/api/api-keys/remove", { token, body: { apiKey: keyId } }),
    "key rotated": ({ token, keyId }) =>
      requestOrThrow(stage, "POST", "/api/api-keys/rotate", { token, body: { apiKey: keyId } }),
    "team blocked": ({ teamId }) =>
      requestOrThrow(stage, "POST", `/api/admin/teams/${teamId}/block`, {
        token: administrator.token,
        body: { reason: "on the stage" },
      }),
    "member removed with their keys": ({ token, teamId, userId }) =>
      requestOrThrow(stage, "POST", "/api/gw/teams/remove-member", {
        token,
        body: { teamId, memberId: userId, revokeKeys: true },
      }),
  };
  const revoke = async ([name, end]: [string, (account: Account) => Promise<unknown>]) => {
    const account = await openAccount(stage);
    await moveCredits(stage, administrator, account.organizationId, PLENTY);
    const logs: CallLog[] = [];
    const isOver = { value: false };
    const callers = Array.from({ length: CALLERS }, () => keepCalling(stage, account, logs, isOver));
    await awaitFirstAnswer(name, logs);
    await end(account);
    const endedAtMs = Date.now();
    await pause(limitMs + AFTER_MS);
    isOver.value = true;
    await Promise.all(callers);
    const served = logs.filter(({ status, sentAtMs }) => status === 200 && sentAtMs > endedAtMs);
    const last = Math.max(0, ...served.map(({ sentAtMs }) => sentAtMs - endedAtMs));
    context.print(`      ${name}: the last call that was let in came ${last} ms after`);
    if (last > limitMs) throw new Error(`${name}: a call was let in ${last} ms after`);
    const wrong = logs.filter(
      ({ status, isUnsent, sentAtMs }) =>
        sentAtMs > endedAtMs + limitMs && !isUnsent && status !== 401 && status !== 403,
    );
    if (wrong.length > 0) throw new Error(`${name}: answered ${wrong[0]?.status} ${wrong[0]?.code} afterwards`);
  };
  // Run all revocations concurrently, because each mostly waits and affects only its own account.
  await Promise.all(Object.entries(ways).map(revoke));
}

async function awaitFirstAnswer(name: string, logs: readonly CallLog[]): Promise<void> {
  const deadline = performance.now() + FIRST_ANSWER_MS;
  while (!logs.some(({ status }) => status === 200)) {
    if (performance.now() > deadline) throw new Error(`${name}: no call worked before`);
    await pause(50);
  }
}

async function keepCalling(stage: Stage, account: Account, logs: CallLog[], isOver: { value: boolean }): Promise<void> {
  while (!isOver.value) {
    logs.push(await makeCall(stage.tollgate.url, planContestCall(account, `revoked-${randomUUID()}`, 5)));
    await pause(BETWEEN_CALLS_MS);
  }
}

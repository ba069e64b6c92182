import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import type { CallLog } from "../client/send-call.ts";
import { MODELS } from "../models.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const REFUSED = { kind: "refused" } as const;
const QUOTA = "QUOTA_EXCEEDED";
const AFFORDABLE = 5;
const RACERS = 60;
const WORDS = 100;

export const admissionCases: readonly Case[] = [
  {
    name: "overdraft-one-nano",
    promise: "1 nano-USD buys no call, however many answers it asks for",
    guards: "row 2, billing.admission: strict",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant(1n);
      const fields = [{ n: 128, max_tokens: 131_072 }, { n: 128 }, {}];
      const attacks = fields.map((each): Attack => ({ nonce: context.nonce(), tenant, model: "mind", fields: each }));
      const logs = await Promise.all(attacks.map(context.attack));
      // The first request also exceeds the maximum hold.
      return refused(attacks, logs, [QUOTA, "invalid_request"]);
    },
  },
  {
    name: "explicit-limit",
    promise: "An explicit output limit that the credit does not cover is refused",
    guards: "row 2, billing.overdraft 0",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant(costOf(1_000));
      const attacks = [1_001, 8_192].map(
        (maxTokens) => ({ nonce: context.nonce(), tenant, model: "mind", maxTokens }) as const,
      );
      const logs = await Promise.all(attacks.map(context.attack));
      return refused(attacks, logs, [QUOTA]);
    },
  },
  {
    name: "largest-hold",
    promise: "No single call may hold more than billing.maxHold, whatever the balance",
    guards: "row 2, billing.maxHold",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const fields = { n: 128, max_tokens: 131_072 };
      const attack: Attack = { nonce: context.nonce(), tenant, model: "expensive", fields };
      return refused([attack], [await context.attack(attack)], null);
    },
  },
  {
    name: "race-for-balance",
    promise: `${RACERS} calls at once on credit for ${AFFORDABLE} never spend more than there is`,
    guards: "row 2, billing.admission: strict",
    isQuick: true,
    run: raceForBalance,
  },
];

async function raceForBalance(context: CaseContext): Promise<CaseOutcome> {
  const credit = costOf(WORDS) * BigInt(AFFORDABLE);
  const tenant = await context.addTenant(credit);
  const own = script({ frames: 10, wordsPerFrame: WORDS / 10, inputTokens: 1, headDelayMs: 200 });
  const attacks = Array.from({ length: RACERS }, (): Attack => {
    return { nonce: context.nonce(), tenant, model: "mind", maxTokens: WORDS, scripts: [own] };
  });
  const logs = await Promise.all(attacks.map(context.attack));
  const served = logs.filter(({ status }) => status === 200).length;
  const problems: string[] = [];
  if (served === 0 || served > AFFORDABLE) problems.push(`${served} calls were served, 1 to ${AFFORDABLE} are covered`);
  const quota = await readQuota(context.stage.ledger, tenant.organizationId);
  if (quota !== null && quota.balance < 0n) problems.push(`the balance is ${quota.balance}`);
  return { calls: attacks.map(exactly), problems, figures: { raceServed: served } };
}

/** Checks that refused calls are free, reach no upstream, and have one of the expected error codes. */
export function refused(
  attacks: readonly Attack[],
  logs: readonly CallLog[],
  codes: readonly string[] | null,
): CaseOutcome {
  const problems = logs.flatMap(({ status, code }, index) => {
    const isRight = status !== null && status >= 400 && status < 500 && (codes === null || codes.includes(code ?? ""));
    return isRight
      ? []
      : [`${attacks[index]?.nonce} ${JSON.stringify(attacks[index]?.fields ?? {})}: ${status} ${code}`];
  });
  return { calls: attacks.map(({ nonce }) => ({ nonce, expects: REFUSED })), problems };
}

const costOf = (outputTokens: number): bigint => priceCall({ ...NO_USAGE, outputTokens }, MODELS.mind.price);

import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const hook = resolve(import.meta.dirname, "../stage/jump-clock.ts");
const HOUR_MS = 3_600_000;
/** Clock changes: forward by an hour, back by two, forward past midnight, and back to the correct time. */
const JUMPS_MS = [HOUR_MS, -HOUR_MS, 20 * HOUR_MS, 0] as const;
const CALLS = 6;

export const clockCases: readonly Case[] = [
  {
    name: "clock-jumps",
    promise: "Jumps of a gateway's wall clock, also during calls, change no charge",
    guards: "rule: durations are measured on the monotonic clock",
    isQuick: false,
    isAlone: true,
    run: jump,
  },
];

async function jump(context: CaseContext): Promise<CaseOutcome> {
  const { tollgate } = context.stage;
  const file = join(tollgate.settings.journalFolder, "clock-offset");
  const { nodeOptions } = tollgate.settings;
  await tollgate.restart({ nodeOptions: `--import ${hook}` });
  try {
    const calls: Attack[] = [];
    for (const offsetMs of JUMPS_MS) {
      const attacks = await openCalls(context);
      const running = attacks.map(context.attack);
      await Promise.all(attacks.map(({ nonce }) => context.stage.hostile.received(nonce)));
      writeFileSync(file, String(offsetMs));
      await Promise.all(running);
      await pause(300);
      calls.push(...attacks);
    }
    return { calls: calls.map(exactly) };
  } finally {
    rmSync(file, { force: true });
    await tollgate.restart({ nodeOptions });
  }
}

async function openCalls(context: CaseContext): Promise<readonly Attack[]> {
  const tenant = await context.addTenant();
  const own = script({ hidden: 500, usageDelayMs: 700 });
  return Array.from({ length: CALLS }, (_, index): Attack => {
    const shape = { nonce: context.nonce(), tenant, model: "mind", isStream: true, scripts: [own] } as const;
    return index % 2 === 0 ? shape : { ...shape, cut: { at: "word", count: 8 } };
  });
}

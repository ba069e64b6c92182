import type { Attack, Case } from "../case.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const REPLAYS = 20;
const HIDDEN = 500;

export const replayCases: readonly Case[] = [
  {
    name: "idempotency-replays",
    promise: "Equal calls with one Idempotency-Key are one upstream call and one charge, also after a disconnect",
    guards: "rule: replays are free and cause no call",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const nonce = context.nonce();
      const own = script({ hidden: HIDDEN, headDelayMs: 200 });
      const call: Attack = { nonce, tenant, model: "mind", scripts: [own], headers: { "idempotency-key": nonce } };
      const left = context.attack({ ...call, cut: { at: "event", event: context.stage.hostile.received(nonce) } });
      const others = Array.from({ length: REPLAYS }, (_, index) => context.attack({ ...call, index: index + 1 }));
      const [, ...logs] = await Promise.all([left, ...others]);
      const attempts = context.stage.hostile.attemptsOf(nonce).length;
      const problems = attempts === 1 ? [] : [`${attempts} upstream calls under one key`];
      const unserved = logs.filter(({ status }) => status !== 200).length;
      if (unserved > 0) problems.push(`${unserved} replays were not served`);
      return { calls: [exactly({ nonce })], problems };
    },
  },
  {
    name: "cached-answers",
    promise: "An answer from the cache costs nothing, and a cut stream is never cached for less than it cost",
    guards: "rule: replays are free and cause no call",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const calls = [false, true].map((isStream): Attack => {
        const scripts = [script({ hidden: HIDDEN, usageDelayMs: 150 })];
        return { nonce: context.nonce(), tenant, model: "mind", isStream, scripts, fields: { caching: true } };
      });
      const cut: Attack = { ...(calls[1] as Attack), nonce: context.nonce(), cut: { at: "word", count: 8 } };
      for (const call of [...calls, cut]) {
        await context.attack(call);
        await context.attack({ ...call, index: 1, cut: null });
      }
      return { calls: [...calls, cut].map(exactly) };
    },
  },
];

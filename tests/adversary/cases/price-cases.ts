import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { GATEWAY_PROCESSES } from "../../chaos/stage/tollgate.ts";
import type { Attack, Case, CaseContext } from "../case.ts";
import { writeSettings } from "../models.ts";
import type { AdversaryStage } from "../stage/stage.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const RAISED = tokenPrice(5_000_000n, 50_000_000n);
const RELOAD_LIMIT_MS = 20_000;
const RELOADED = "settings reloaded";

export const priceCases: readonly Case[] = [
  {
    name: "price-change",
    promise: "A call is charged at the price it was admitted under, also if its client leaves after the price rose",
    guards: "rule: a call has one price",
    isQuick: true,
    run: async (context) => {
      const { stage } = context;
      const tenant = await context.addTenant();
      const { promise: changed, resolve: change } = Promise.withResolvers<void>();
      const shape = { tenant, model: "repriced", scripts: [script({ hidden: 500, usageDelayMs: 4_000 })] } as const;
      const before: Attack[] = [
        { ...shape, nonce: context.nonce(), isStream: true },
        { ...shape, nonce: context.nonce(), isStream: true, cut: { at: "event", event: changed } },
        { ...shape, nonce: context.nonce(), cut: { at: "event", event: changed } },
      ];
      const running = before.map(context.attack);
      await Promise.all(before.map(({ nonce }) => stage.hostile.received(nonce)));
      await reloadPrice(context);
      change();
      const quick = { ...shape, scripts: [script({ hidden: 500, usageDelayMs: 150 })] };
      const after: Attack[] = [
        { ...quick, nonce: context.nonce() },
        { ...quick, nonce: context.nonce(), isStream: true, cut: { at: "word", count: 8 } },
      ];
      await Promise.all([...running, ...after.map(context.attack)]);
      return { calls: [...before, ...after].map(exactly) };
    },
  },
];

/** Raises the price in the settings and at the upstream. Resolves when every gateway has reloaded its settings. */
async function reloadPrice({ stage }: CaseContext): Promise<void> {
  const { hostile, tollgate } = stage;
  const before = countReloads(stage);
  tollgate.reload({ fileText: writeSettings(hostile.url, { repriced: RAISED }) });
  const deadline = performance.now() + RELOAD_LIMIT_MS;
  while (countReloads(stage) < before + GATEWAY_PROCESSES) {
    if (performance.now() > deadline) throw new Error("the gateways did not reload their settings");
    await pause(50);
  }
  hostile.prices = { ...hostile.prices, repriced: RAISED };
}

function countReloads({ tollgate }: AdversaryStage): number {
  const { folder, name } = tollgate.gateways;
  return readFileSync(join(folder, `${name}.log`), "utf8").split(RELOADED).length - 1;
}

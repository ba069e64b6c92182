import { randomUUID } from "node:crypto";
import { openAccount, openPlatform, requestOrThrow } from "../../chaos/stage/account.ts";
import type { Attack, Case } from "../case.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

/** 20 USD. */
const AMOUNT = 20_000_000_000n;
const OUTCOMES = ["refunded", "disputed", "dispute_lost"] as const;

export const paymentCases: readonly Case[] = [
  {
    name: "refund-during-call",
    promise:
      "A refund or dispute while calls run changes no charge: they cost what the upstream billed, below zero too",
    guards: "rule: a hold that was given is honored",
    isQuick: true,
    run: async (context) => {
      const { stage } = context;
      await openPlatform(stage);
      const calls: Attack[] = [];
      await Promise.all(
        OUTCOMES.map(async (outcome) => {
          const account = await openAccount(stage);
          const { purchase } = await requestOrThrow(stage, "POST", "/api/credits/purchases", {
            token: account.token,
            headers: { "idempotency-key": randomUUID() },
            body: { amount: String(AMOUNT) },
          });
          const simulate = (next: string) =>
            requestOrThrow(stage, "POST", `/api/credits/purchases/${purchase.id}/simulate`, {
              token: account.token,
              body: { outcome: next },
            });
          await simulate("paid");
          const { promise: taken, resolve } = Promise.withResolvers<void>();
          const shape = {
            tenant: account,
            model: "mind",
            scripts: [script({ hidden: 2_000, usageDelayMs: 2_500 })],
          } as const;
          const own: Attack[] = [
            { ...shape, nonce: context.nonce(), isStream: true },
            { ...shape, nonce: context.nonce(), isStream: true, cut: { at: "event", event: taken } },
            { ...shape, nonce: context.nonce(), cut: { at: "event", event: taken } },
          ];
          calls.push(...own);
          const running = own.map(context.attack);
          await Promise.all(own.map(({ nonce }) => stage.hostile.received(nonce)));
          // A dispute is opened before it is lost.
          if (outcome === "dispute_lost") await simulate("disputed");
          await simulate(outcome);
          resolve();
          await Promise.all(running);
        }),
      );
      return { calls: calls.map(exactly) };
    },
  },
];

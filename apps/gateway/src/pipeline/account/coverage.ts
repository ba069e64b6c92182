import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";
import {
  choicesOf,
  largestCostWithin,
  maxPriceFor,
  outputWithin,
  reachesModel,
  requestedMaxOutput,
} from "./estimate-call.ts";

/** The output that a given amount of money pays for. */
export interface Coverage {
  /** Output tokens per choice; null if the amount doesn't even cover the input. */
  readonly outputTokens: number | null;
  readonly choices: number;
  /** Name of the request's output limit parameter. */
  readonly limitParam: string;
}

/** Returns the output that a hold of this amount covers; null for calls whose output is not limited in tokens. */
export function coverageOf(
  amount: NanoUsd,
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
): Coverage | null {
  if (call.kind.writesText !== true) return null;
  const limitParam = limitParamOf(call);
  // A limit that doesn't reach the model would not reduce the hold.
  if (!reachesModel(limitParam, call, deployment)) return null;
  const most = call.kind.boundUsage(call, deployment);
  if (most === null) {
    return {
      outputTokens: outputWithin(amount, call, deployment, price, billing),
      choices: choicesOf(call),
      limitParam,
    };
  }
  const asked = requestedMaxOutput(call, deployment);
  if (asked === null || asked === 0) return null;
  const choices = most.outputTokens / asked;
  const left = largestCostWithin(amount, billing) - priceCall({ ...most, outputTokens: 0, reasoningTokens: 0 }, price);
  const pico = maxPriceFor(call, deployment, price).output * BigInt(choices);
  if (left < 0n) return { outputTokens: null, choices, limitParam };
  return { outputTokens: pico === 0n ? asked : Number((left * PICO_PER_NANO) / pico), choices, limitParam };
}

function limitParamOf({ kind, body }: Call): string {
  const request = body.request as Readonly<Record<string, unknown>>;
  const names = kind.limitParams ?? ["max_tokens", "max_completion_tokens"];
  return names.find((name) => typeof request[name] === "number") ?? names[0] ?? "max_tokens";
}

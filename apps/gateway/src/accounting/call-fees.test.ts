import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { describe, expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { NO_PARTS } from "../call/operation-kind.ts";
import { requestedTools } from "../operations/requested-tools.ts";
import { heldTools, maxFees, withFees } from "./call-fees.ts";

const price = tokenPrice(1n, 2n, { perWebSearch: 10n });
const used: Usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, source: "reported" };

const deploymentOf = (provider: string, upstreamModel: string) =>
  ({ provider: { name: provider }, upstreamModel }) as unknown as Deployment;

function callWith(request: object): Pick<Call, "operation" | "parts"> {
  const tools = requestedTools(request);
  return { operation: "chat.completions", parts: { ...NO_PARTS, ...(tools && { tools }) } };
}

describe("searches", () => {
  const chargedFor = (provider: string, model: string, webSearches: number, request: object = {}) =>
    withFees({ ...used, webSearches }, callWith(request), deploymentOf(provider, model), { price }).webSearches;

  test("of a model that bills one per request are charged once, however many it reports", () => {
    expect(chargedFor("perplexity", "sonar-pro", 3)).toBe(1);
    expect(chargedFor("perplexity", "sonar-pro", 0)).toBe(1);
    expect(chargedFor("perplexity", "sonar-deep-research", 18)).toBe(18);
    expect(chargedFor("gemini", "gemini-2.5-flash", 3, { web_search_options: {} })).toBe(1);
    expect(chargedFor("gemini", "gemini-3-pro", 3, { web_search_options: {} })).toBe(3);
    expect(BigInt(chargedFor("perplexity", "sonar-pro", 3)) * 10n).toBe(
      maxFees(callWith({}), deploymentOf("perplexity", "sonar-pro"), price),
    );
  });

  test("are charged once if the request asks for them and the provider's chat responses don't count them", () => {
    const request = { web_search_options: {} };
    for (const provider of ["openai", "azure", "groq", "openai_compatible"]) {
      expect(chargedFor(provider, "m", 0, request), provider).toBe(1);
    }
    for (const provider of ["xai", "openrouter", "anthropic", "gemini"]) {
      expect(chargedFor(provider, "m", 0, request), provider).toBe(0);
    }
  });
});

describe("X searches", () => {
  const perPost = tokenPrice(1n, 2n, { perToolCall: 5n });
  const deployment = { ...deploymentOf("xai", "grok-4"), price: perPost };
  const call = callWith({ tools: [{ type: "x_search" }] });

  test("are held for several posts each, because each post is billed", () => {
    expect(maxFees(call, deployment, perPost)).toBe(8n * 20n * 5n);
  });

  test("that are not reported are charged as they were held", () => {
    expect(heldTools(call, deployment)).toEqual({ toolCalls: 160 });
  });
});

import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { describe, expect, test } from "vitest";
import { refuseUnpriced } from "./refuse-unpriced.ts";

describe("refuseUnpriced", () => {
  test.for<[object, string]>([
    [{ speed: "fast" }, "extra_body.speed"],
    [{ inference_geo: "us" }, "extra_body.inference_geo"],
    [{ fallbacks: ["claude-opus-5"] }, "extra_body.fallbacks"],
    [{ mcp_servers: [] }, "extra_body.mcp_servers"],
    [
      {
        tools: [
          { name: "f", input_schema: {} },
          { type: "web_search_20250305", name: "s" },
        ],
      },
      "extra_body.tools",
    ],
    [{ tools: { type: "web_search_20250305" } }, "extra_body.tools"],
    [{ tools: [null, { type: "advisor_20260301" }] }, "extra_body.tools"],
    [
      { system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      "extra_body.system.cache_control.ttl",
    ],
    [{ cache_control: { type: "ephemeral", ttl: "1h" } }, "extra_body.cache_control.cache_control.ttl"],
  ])("rejects fields that Anthropic bills separately: %j", ([fields, param]) => {
    expect(() => refuseUnpriced(fields as Record<string, unknown>, {}, "extra_body.")).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", facts: expect.objectContaining({ param }) }),
    );
  });

  test("accepts tools and cache lifetimes that have a price", () => {
    const long = { system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }] };
    expect(() => refuseUnpriced(long, { price: { longCacheWrite: 1n } })).not.toThrow();
    const search = { tools: [{ type: "web_search_20250305", name: "web_search" }] };
    expect(() => refuseUnpriced(search, { price: { perWebSearch: 1n } })).not.toThrow();
    expect(() => refuseUnpriced(search, { price: { perCodeSession: 1n } })).toThrow();
    const fetched = { tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] };
    expect(() => refuseUnpriced(fetched)).not.toThrow();
    const day = { cache_control: { type: "ephemeral", ttl: "1d" } };
    expect(() => refuseUnpriced(day, { price: { longCacheWrite: 1n } })).toThrow();
  });

  const card = {
    base: tokenPrice(1n, 1n),
    rules: [
      { when: { serviceTier: "fast" }, prices: { input: 6n } },
      { when: { region: "us" }, prices: { input: 2n } },
    ],
  };
  const priced = { price: { perCodeSession: 1n }, facts: { maxOutputTokens: null, rateCard: card } };

  test.for<[object]>([
    [{ speed: "fast" }],
    [{ inference_geo: "us" }],
    [{ inference_geo: "global" }],
    [{ container: { skills: [{ type: "anthropic", skill_id: "pptx", version: "latest" }] } }],
    [{ mcp_servers: [{ type: "url", name: "docs", url: "https://mcp.example" }] }],
  ])("accepts %j if it has a price, but never in extra_body", ([fields]) => {
    const all = fields as Record<string, unknown>;
    expect(() => refuseUnpriced(all, priced)).not.toThrow();
    if (all.inference_geo !== "global") expect(() => refuseUnpriced(all, priced, "extra_body.")).toThrow();
  });

  test.for<[object | string, string]>([
    ["container_1", "container"],
    [{ id: "container_1" }, "container"],
    [{ skills: [{ type: "custom", skill_id: "skill_1" }] }, "container.skills"],
    [{ skills: [{ type: "anthropic", skill_id: "pdf" }, null] }, "container.skills"],
    [{ skills: "all" }, "container.skills"],
  ])("keeps callers out of containers and skills of the operator's account: %j", ([container, param]) => {
    expect(() => refuseUnpriced({ container }, priced)).toThrow(
      expect.objectContaining({ code: "invalid_request", facts: expect.objectContaining({ param }) }),
    );
    expect(() => refuseUnpriced({ container }, { ...priced, usesOwnKey: true })).not.toThrow();
  });

  test("accepts a tier and a region without a price if the caller's own key pays for them", () => {
    const fields = { speed: "fast", inference_geo: "us" };
    expect(() => refuseUnpriced(fields, { price: null, usesOwnKey: true })).not.toThrow();
    expect(() => refuseUnpriced(fields, { price: null })).toThrow();
  });

  test.for<[object]>([[{ speed: "ludicrous" }], [{ inference_geo: "mars" }], [{ fallbacks: ["claude-opus-5"] }]])(
    "rejects %j, which has no price",
    ([fields]) => {
      expect(() => refuseUnpriced(fields as Record<string, unknown>, priced)).toThrow();
    },
  );

  test.for<[object]>([
    [{ speed: null, container: null }],
    [{ speed: "standard", top_k: 3, context_management: { edits: [] } }],
    [
      {
        tools: [
          { name: "f", input_schema: {} },
          { type: "bash_20250124", name: "bash" },
          { type: "custom", name: "g" },
        ],
      },
    ],
    [{ system: [{ type: "text", text: '"ttl":"1h"', cache_control: { type: "ephemeral", ttl: "5m" } }] }],
  ])("accepts fields that only cost tokens: %j", ([fields]) => {
    expect(() => refuseUnpriced(fields as Record<string, unknown>)).not.toThrow();
  });
});

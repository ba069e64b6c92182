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
    expect(() => refuseUnpriced(fields as Record<string, unknown>, "extra_body.")).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", facts: { param } }),
    );
  });

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

import { describe, expect, test } from "vitest";
import { parseSimModel } from "./sim-model.ts";

describe("simulated model name", () => {
  test("contains the model's parameters", () => {
    expect(parseSimModel("lorem?tokens=200&tps=80&seed=7")).toMatchObject({
      name: "lorem",
      tokens: 200,
      tokensPerSecond: 80,
      seed: 7,
    });
    expect(parseSimModel("cut?after=3")).toMatchObject({ cutAfter: 3 });
    expect(parseSimModel("error?status=429&rate=0.1")).toMatchObject({ failure: { status: 429 }, failureRate: 0.1 });
    expect(parseSimModel("error?kind=context")).toMatchObject({ failure: { kind: "context" } });
  });

  test("uses defaults for omitted parameters", () => {
    expect(parseSimModel("echo")).toMatchObject({
      tokensPerSecond: 0,
      firstTokenDelayMs: 0,
      cutAfter: null,
      failure: null,
    });
    expect(parseSimModel("slow")).toMatchObject({ firstTokenDelayMs: 2_000 });
    expect(parseSimModel("cut")).toMatchObject({ cutAfter: 5 });
    expect(parseSimModel("error")).toMatchObject({ failure: { status: 500 }, failureRate: 1 });
  });

  test.for([
    ["2s", 2_000],
    ["0.25s", 250],
    ["150ms", 150],
    ["40", 40],
    ["9999999s", 600_000],
  ] as const)("accepts a delay of %s", ([text, delayMs]) => {
    expect(parseSimModel(`slow?ttft=${text}`).firstTokenDelayMs).toBe(delayMs);
  });

  test("is rejected if the model doesn't exist", () => {
    for (const name of ["eco", "", "echo/2", "toString"]) {
      expect(() => parseSimModel(name)).toThrowError(expect.objectContaining({ code: "model_not_found" }));
    }
  });

  test.for([
    "lorem?tokens=-1",
    "lorem?tokens=1000000000",
    "lorem?tps=fast",
    "error?status=200",
    "error?status=teapot",
    "slow?ttft=soon",
    "error?rate=2",
  ])("is rejected if a parameter is invalid: %s", (model) => {
    expect(() => parseSimModel(model)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
  });
});

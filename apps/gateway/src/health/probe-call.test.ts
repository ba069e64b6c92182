import { expect, test } from "vitest";
import type { Deployment } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";
import { probeCall } from "./probe-call.ts";

function probeOf(operation: OperationName, supported: readonly string[], outputLimitParam = "max_tokens"): unknown {
  const deployment = {
    upstreamModel: "model",
    provider: { outputLimitParam },
    offers: { [operation]: { supportedParams: new Set(supported) } },
  } as unknown as Deployment;
  return probeCall(operation, deployment)?.body.request ?? null;
}

const messages = [{ role: "user", content: "ping" }];

test("a probe limits its output with a parameter that the model supports", () => {
  const model = "model";
  const both = ["max_tokens", "max_completion_tokens"];
  expect(probeOf("chat.completions", both)).toEqual({ model, messages, max_tokens: 1 });
  expect(probeOf("chat.completions", both, "max_completion_tokens")).toEqual({
    model,
    messages,
    max_completion_tokens: 1,
  });
  expect(probeOf("chat.completions", ["max_completion_tokens"])).toEqual({ model, messages, max_completion_tokens: 1 });
  expect(probeOf("messages", ["max_tokens"], "max_completion_tokens")).toEqual({ model, messages, max_tokens: 1 });
  expect(probeOf("completions", ["max_tokens"])).toEqual({ model, prompt: "ping", max_tokens: 1 });
  expect(probeOf("responses", ["max_output_tokens"])).toEqual({ model, input: "ping", max_output_tokens: 16 });
});

test("a model whose output cannot be limited is not probed", () => {
  expect(probeOf("chat.completions", ["temperature"])).toBeNull();
  expect(probeOf("completions", [])).toBeNull();
  expect(probeOf("messages", ["max_completion_tokens"])).toBeNull();
  expect(probeOf("responses", ["max_tokens"])).toBeNull();
  expect(probeOf("embeddings", [])).toEqual({ model: "model", input: "ping" });
});

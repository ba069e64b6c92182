import { expect, test } from "vitest";
import type { Deployment } from "../../call/deployment.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { embeddings } from "./embeddings.ts";

const deployment = { facts: { maxInputTokens: 2_048 } } as unknown as Deployment;
const kind = embeddings as unknown as OperationKind;

function inputOf(fields: object): { readonly most: number; readonly counted: number } {
  const call = makeChatCall({ text: JSON.stringify({ model: "m", ...fields }), kind }) as never;
  const most = embeddings.boundUsage(call, deployment);
  return {
    most: most?.inputTokens ?? 0,
    counted: embeddings.countUsage(call, deployment, null, 0).inputTokens,
  };
}

test.for([["title"], ["extra_body"]])("a title counts with each input, as a field and in extra_body: %s", ([place]) => {
  const title = "The history of the canton of Zürich ".repeat(10);
  const input = Array.from({ length: 50 }, () => "a");
  const plain = inputOf({ input });
  const titled = inputOf({ input, ...(place === "title" ? { title } : { extra_body: { title } }) });
  expect(titled.counted - plain.counted).toBeGreaterThan(50 * 70);
  expect(titled.most - plain.most).toBeGreaterThanOrEqual(titled.counted - plain.counted);
});

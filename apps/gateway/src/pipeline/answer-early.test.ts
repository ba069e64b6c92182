import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { type Call, inStage } from "../call/call.ts";
import { describeCall } from "./answer-early.ts";
import { makeChatCall } from "./chat-call.fixture.ts";

const describeWith = async (ownKey: string | null, idempotencyKey = "retry-1") => {
  const call = makeChatCall() as unknown as Call;
  Object.assign(call.exchange, { pathModel: null });
  if (ownKey !== null) inStage(call, "read").ownKey = new Secret(ownKey);
  return describeCall(call, idempotencyKey);
};

test("a request with another own provider API key is another request, and the key is not stored", async () => {
  const [none, one, again, other] = await Promise.all([
    describeWith(null),
    describeWith("sk-mine"),
    describeWith("sk-mine"),
    describeWith("sk-other"),
  ]);
  expect(one).toEqual(again);
  const digests = [none, one, other].map(({ bodyDigest }) => bodyDigest.toString("hex"));
  expect(new Set(digests).size).toBe(3);
  expect(JSON.stringify(one)).not.toContain("sk-mine");
});

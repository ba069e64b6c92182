import type { Socket } from "node:net";
import { chatAnswer, chatFrames, DONE_FRAME } from "@tollgate/testkit/chat-answers.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { testSettings } from "../../test-gateway.fixture.ts";
import { test } from "./chat-gateway.fixture.ts";

const settingsFor = (origin: string, name: string, more = "") =>
  testSettings(
    `model_list: [{ model_name: ${name}, litellm_params: { model: openai/x, api_base: "${origin}/v1" } }]\n${more}`,
  );

test("new settings take effect under load, and no call fails", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer({ content: "from alpha" }));
  upstreams.beta.replies(200, chatAnswer({ content: "from beta" }));
  let isOver = false;
  const contents = new Set<string>();
  const statuses = new Set<number>();
  const callers = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const answer = await gateway.chat({ model: "alpha" });
      statuses.add(answer.status);
      contents.add(((await answer.json()) as ReturnType<typeof chatAnswer>).choices[0]?.message.content ?? "");
    }
  });
  for (let round = 0; round < 20; round += 1) {
    const { origin } = round % 2 === 0 ? upstreams.beta : upstreams.alpha;
    const before = gateway.records.length;
    await gateway.gateway.reload(settingsFor(origin, "alpha"));
    await waitFor("some calls", () => gateway.records.length > before + 16);
  }
  isOver = true;
  await Promise.all(callers);
  expect([...statuses]).toEqual([200]);
  expect(contents).toEqual(new Set(["from alpha", "from beta"]));
  expect(gateway.records.every(({ status }) => status === "success")).toBe(true);
});

test("a stream in progress continues with the settings that it started with", async ({ gateway, upstreams }) => {
  const gate = Promise.withResolvers<void>();
  upstreams.alpha.streams(chatFrames({ content: "one two three" }), {
    beforeFrame: (index) => (index === 2 ? gate.promise : undefined),
  });
  const answer = await gateway.chat({ model: "alpha", stream: true });
  await gateway.gateway.reload(settingsFor(upstreams.beta.origin, "other"));
  expect((await gateway.chat({ model: "alpha" })).status).toBe(404);
  gate.resolve();
  const text = await answer.text();
  expect(text.endsWith(DONE_FRAME)).toBe(true);
  expect(gateway.records.at(-1)).toMatchObject({ status: "success", modelGroup: "alpha" });
});

test("a reload turns the response cache on and off, and keeps its entries", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const { origin } = upstreams.alpha;
  const cacheHit = async () => (await gateway.chat({ model: "alpha" })).headers.get("x-gw-cache-hit");
  const turn = (isOn: boolean) =>
    gateway.gateway.reload(settingsFor(origin, "alpha", `gw_settings: { cache: ${isOn} }`));
  expect(await cacheHit()).toBeNull();
  await turn(true);
  expect([await cacheHit(), await cacheHit()]).toEqual(["false", "true"]);
  await turn(false);
  expect(await cacheHit()).toBeNull();
  await turn(true);
  expect(await cacheHit()).toBe("true");
});

test("invalid settings are rejected, and the previous settings stay in effect", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const broken = testSettings(
    "model_list: [{ model_name: m, litellm_params: { model: openai_compatible/x, api_base: 'http://x' } }]",
  );
  const deployment = broken.deployments.at(-1);
  const unfit = { ...broken, deployments: [{ ...deployment, params: { ...deployment?.params, apiBase: null } }] };
  await expect(gateway.gateway.reload(unfit as typeof broken)).rejects.toThrow();
  expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
});

test("a reload closes only the connections that no deployment uses anymore", async ({ gateway, upstreams }) => {
  const used = new Set<Socket>();
  upstreams.alpha.behaves((exchange) => {
    used.add(exchange.socket);
    return reply(200, chatAnswer())(exchange);
  });
  const kept = new Set<Socket>();
  upstreams.beta.behaves((exchange) => {
    kept.add(exchange.socket);
    return reply(200, chatAnswer())(exchange);
  });
  await gateway.chat({ model: "alpha" });
  await gateway.chat({ model: "beta" });
  const settings = `model_list: [{ model_name: beta, litellm_params: { model: openai/y, api_base: "${upstreams.beta.origin}/v1", api_key: sk-upstream-0123456789 } }]`;
  await gateway.gateway.reload(testSettings(settings));
  await waitFor("alpha's connection to close", () => [...used].every((socket) => socket.closed));
  expect([...kept].map((socket) => socket.closed)).toEqual([false]);
});

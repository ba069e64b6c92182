import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { describe, expect } from "vitest";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const entry = (group: string, { origin }: FakeUpstream) =>
  `  - { model_name: ${group}, litellm_params: { model: openai/${group}-up, api_base: "${origin}/v1", api_key: sk-x }, model_info: { id: ${group}-1 } }`;
/**
 * Returns settings with one deployment per group. A deployment enters a cooldown after the first failure that counts
 * toward it.
 */
const strict = (groups: Readonly<Record<string, FakeUpstream>>) =>
  `${Object.entries(groups)
    .map(([group, upstream]) => entry(group, upstream))
    .join("\n")}\nrouter_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 60 }`;

describe("client errors do not trigger a deployment cooldown", () => {
  test("when the caller's timeout is too short", async ({ start, upstreams: { alpha } }) => {
    const { chat } = await start({ yaml: strict({ solo: alpha }) });
    alpha.hangs();
    expect((await chat({ model: "solo", stream: true, stream_timeout: 0.05 })).status).toBe(408);
    expect((await chat({ model: "solo", timeout: 0.05 })).status).toBe(408);
    alpha.streams(chatFrames());
    expect((await chat({ model: "solo", stream: true })).status).toBe(200);
  });

  test("when the upstream returns 401 because the caller's headers do not match the gateway's credential", async ({
    start,
    upstreams: { alpha },
  }) => {
    const { chat } = await start({ yaml: strict({ solo: alpha }) });
    alpha.replies(401, { error: { message: "mismatched organization" } });
    const refused = await chat({ model: "solo", extra_headers: { "openai-organization": "org-unknown" } });
    expect(refused.ok).toBe(false);
    alpha.replies(200, chatAnswer());
    expect((await chat({ model: "solo" })).status).toBe(200);
    // A rejected upstream credential, in contrast, triggers a cooldown.
    alpha.replies(401, { error: { message: "no such key" } });
    await chat({ model: "solo" });
    alpha.replies(200, chatAnswer());
    expect((await errorOf(await chat({ model: "solo" }))).code).toBe("no_deployments_available");
  });

  test("when the gateway rejects connection headers", async ({ start, upstreams: { alpha } }) => {
    const { chat } = await start({ yaml: strict({ solo: alpha }) });
    for (const name of ["expect", "Upgrade", "keep-alive", "te", "trailer", "accept", "connection"]) {
      expect((await chat({ model: "solo", extra_headers: { [name]: "100-continue" } })).status, name).toBe(400);
    }
    expect(alpha.requests).toEqual([]);
  });
});

test("a fallback receives the original request, without the changes for another fallback", async ({
  start,
  upstreams,
}) => {
  const { chat } = await start({
    yaml: strict({ small: upstreams.alpha, other: upstreams.alpha, big: upstreams.beta }),
  });
  upstreams.alpha.replies(500);
  upstreams.beta.replies(200, chatAnswer());
  const messages = [{ role: "user", content: "for all" }];
  const others = [{ role: "user", content: "for the other alone" }];
  const fallbacks = [{ model: "other", messages: others }, "big"];
  expect((await chat({ model: "small", messages, fallbacks })).status).toBe(200);
  expect(upstreams.alpha.requests[1]?.json()).toEqual({ model: "other-up", messages: others });
  expect(upstreams.beta.requests[0]?.json()).toEqual({ model: "big-up", messages });
});

test("the gateway looks up only the first eight fallbacks in a list", async ({ start, upstreams }) => {
  const { chat } = await start({ yaml: strict({ small: upstreams.alpha, big: upstreams.beta }) });
  upstreams.alpha.replies(400, { error: { message: "too long", code: "context_length_exceeded", param: null } });
  upstreams.beta.replies(200, chatAnswer());
  const ask = (unknown: number) => {
    const names = [...Array.from({ length: unknown }, (_, index) => `unheard-of-${index}`), "big"];
    return chat({ model: "small", context_window_fallbacks: [{ small: names }] });
  };
  expect((await ask(7)).status).toBe(200);
  expect((await ask(8)).status).toBe(400);
});

test("x-gw-model-api-base does not include credentials from the upstream URL", async ({
  start,
  upstreams: { alpha },
}) => {
  const { host } = new URL(alpha.origin);
  const yaml = `  - { model_name: solo, litellm_params: { model: openai/x, api_base: "http://me:pass-word@${host}/v1?sig=se-cret", api_key: sk-x } }`;
  const { chat } = await start({ yaml });
  alpha.replies(200, chatAnswer());
  const answer = await chat({ model: "solo" });
  expect([answer.status, answer.headers.get("x-gw-model-api-base")]).toEqual([200, `http://${host}/v1`]);
});

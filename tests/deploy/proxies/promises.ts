import assert from "node:assert/strict";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { beginCall, makeCall } from "./call.ts";
import type { Instance } from "./instance.ts";

export interface Scene {
  readonly port: number;
  /** Port of the same proxy's second listener, which is configured for a sub-path as the sample explains. */
  readonly subPathPort: number;
  readonly upstream: FakeUpstream;
  readonly instance: Instance;
}

const PIECES = 8;
const PIECE_MS = 120;
const LARGE_BYTES = 40_000_000;
const STRANGER = "127.0.0.2";

const ask = (model: string, content: string, stream: boolean) => ({
  model,
  stream,
  messages: [{ role: "user", content }],
});

/** Promises that a sample configuration must keep. Each is tested through the running proxy. */
export const promises: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  async "a stream arrives piece by piece"({ port, upstream, instance }) {
    upstream.streams(chatFrames({ pieces: Array.from({ length: PIECES }, (_, index) => `piece-${index} `) }), {
      delayMs: PIECE_MS,
    });
    const answer = await beginCall({
      port,
      path: "/v1/chat/completions",
      headers: instance.key,
      body: ask("far", "hi", true),
    });
    assert.equal(answer.statusCode, 200);
    const seenAtMs = new Map<string, number>();
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) {
      text += chunk;
      for (const [piece] of (chunk as string).matchAll(/piece-\d/g)) seenAtMs.set(piece, performance.now());
    }
    assert.match(text, /data: \[DONE\]/);
    const times = [...seenAtMs.values()];
    assert.equal(times.length, PIECES);
    const gaps = times.slice(1).map((time, index) => time - (times[index] as number));
    const apart = gaps.filter((gap) => gap > PIECE_MS / 4).length;
    const spreadMs = (times.at(-1) as number) - (times[0] as number);
    // A proxy that buffers delivers all chunks together. On a busy machine, a few chunks can also arrive together.
    assert(spreadMs > (PIECES - 1) * PIECE_MS * 0.7, `pieces came within ${Math.round(spreadMs)} ms`);
    assert(apart >= PIECES / 2, `only ${apart} pieces came by themselves`);
    return `${PIECES} pieces over ${Math.round(spreadMs)} ms`;
  },

  async "a body of 40 MB passes whole"({ port, upstream, instance }) {
    upstream.replies(200, chatAnswer({ content: "read" }));
    const before = upstream.requests.length;
    const body = ask("far", "x".repeat(LARGE_BYTES), false);
    const { status, text } = await makeCall({ port, path: "/v1/chat/completions", headers: instance.key, body });
    assert.equal(status, 200, text.slice(0, 500));
    const { messages } = (await upstream.request(before)).json() as { messages: { content: string }[] };
    assert.equal(messages[0]?.content.length, LARGE_BYTES);
    return `${LARGE_BYTES / 1e6} MB`;
  },

  async "a client that leaves is noticed by the model's server"({ port, upstream, instance }) {
    const before = upstream.requests.length;
    upstream.streams(chatFrames({ pieces: Array.from({ length: 400 }, () => "word ") }), { delayMs: 50 });
    const answer = await beginCall({
      port,
      path: "/v1/chat/completions",
      headers: instance.key,
      body: ask("far", "hi", true),
    });
    await waitFor("the first bytes", () => answer.read() !== null);
    const leftAtMs = performance.now();
    answer.destroy();
    const { end } = await upstream.ended(before);
    // The stream would take twenty seconds.
    assert.equal(end?.kind, "aborted");
    return `after ${Math.round(performance.now() - leftAtMs)} ms`;
  },

  async "the address of a caller is the caller's, whatever it claims"({ port, instance }) {
    const { text } = await makeCall({
      port,
      path: "/api/auth/token",
      from: STRANGER,
      headers: { "x-forwarded-for": "203.0.113.9" },
      body: instance.admin,
    });
    const { token } = JSON.parse(text) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const sessions = JSON.parse((await makeCall({ port, path: "/api/auth/sessions", headers })).text) as {
      data: { ip: string; current: boolean }[];
    };
    const ip = sessions.data.find(({ current }) => current)?.ip;
    assert.equal(ip, STRANGER);
    return `${ip}, not 203.0.113.9`;
  },

  async "calls and the console work below a sub-path"({ subPathPort: port, upstream, instance }) {
    upstream.replies(200, chatAnswer({ content: "below" }));
    const path = `${instance.rootPath}/v1/chat/completions`;
    const { status, text } = await makeCall({ port, path, headers: instance.key, body: ask("far", "hi", false) });
    assert.equal(status, 200, text);
    assert.match(text, /below/);
    const page = await makeCall({ port, path: `${instance.rootPath}/ui/` });
    assert.equal(page.status, 200);
    assert.match(page.text, new RegExp(`(src|href)="${instance.rootPath}/ui/`));
    const outside = await makeCall({
      port,
      path: "/v1/chat/completions",
      headers: instance.key,
      body: ask("far", "hi", false),
    });
    assert.doesNotMatch(outside.text, /below/, "what is outside the path must not reach us");
    return instance.rootPath;
  },
};

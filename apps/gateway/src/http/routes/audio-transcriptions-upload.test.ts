import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { MASTER_KEY } from "../../test-gateway.fixture.ts";
import { test } from "./chat-gateway.fixture.ts";
import { type FormEntry, postForm } from "./transcription-form.fixture.ts";

const MIB = 1024 * 1024;
const large: FormEntry = ["file", new Blob([Buffer.alloc(4 * MIB, 1)]), "a.ogg"];

/** Returns the number of stored uploads, which are open files without a name. */
async function keptUploads(): Promise<number> {
  const numbers = await readdir("/proc/self/fd");
  const files = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => "")));
  return files.filter((file) => file.includes("/tollgate-")).length;
}

const namedUploads = async () => (await readdir(tmpdir())).filter((name) => /^tollgate-[0-9a-f]{8}-/.test(name));

test("an upload is stored in an unnamed file during its call and deleted after the response", async ({
  gateway,
  upstreams,
}) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  upstreams.alpha.behaves(async ({ response }) => {
    await held;
    response.writeHead(200, { "content-type": "application/json" }).end('{"text":"Hi"}');
  });
  const answering = postForm(gateway.url, [["model", "alpha"], large]);
  await upstreams.alpha.request(0);
  expect(await keptUploads()).toBe(1);
  expect(await namedUploads(), "a named upload file").toEqual([]);
  release();
  expect((await answering).status).toBe(200);
  await waitFor("the upload to be gone", async () => (await keptUploads()) === 0);
});

test.for([
  ["for a model that does not exist", [["model", "nowhere"], large], 404],
  ["without a model", [large], 422],
  ["with a second file", [["model", "alpha"], large, large], 400],
  [
    "with a file that is too large",
    [
      ["model", "alpha"],
      ["file", new Blob([Buffer.alloc(26 * MIB)]), "a.ogg"],
    ],
    413,
  ],
] as const)("deletes the upload of a call %s", async ([, entries, status], { gateway }) => {
  const answer = await postForm(gateway.url, entries as unknown as FormEntry[]).catch(() => null);
  // A client that is still sending may notice the closed connection before it reads the response.
  if (answer !== null) expect(answer.status).toBe(status);
  await waitFor("the upload to be gone", async () => (await keptUploads()) === 0);
  expect(await namedUploads()).toEqual([]);
});

test("an upload is deleted if its call fails upstream", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(500, { error: { message: "no" } });
  expect((await postForm(gateway.url, [["model", "alpha"], large, ["num_retries", "0"]])).status).toBe(500);
  await waitFor("the upload to be gone", async () => (await keptUploads()) === 0);
});

test("an upload is deleted if the client disconnects while sending it or while waiting for the response", async ({
  start,
  upstreams,
}) => {
  const brief = `{ model: openai/x, api_base: "${upstreams.alpha.origin}/v1", on_disconnect: abort }`;
  const gateway = await start({ yaml: `  - { model_name: brief, litellm_params: ${brief} }` });
  const sending = send(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: {
      "x-gw-api-key": MASTER_KEY,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": String(8 * MIB),
    },
  });
  sending.on("error", () => {});
  sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.ogg"\r\n\r\n');
  sending.write(Buffer.alloc(4 * MIB));
  await waitFor("the file on disk", async () => (await keptUploads()) === 1);
  sending.destroy();
  await waitFor("the upload to be gone", async () => (await keptUploads()) === 0);

  upstreams.alpha.hangs();
  const leaving = new AbortController();
  const waiting = postForm(gateway.url, [["model", "brief"], large], { signal: leaving.signal }).catch(() => null);
  await upstreams.alpha.request(0);
  expect(await keptUploads()).toBe(1);
  leaving.abort();
  await waiting;
  await waitFor("the upload to be gone", async () => (await keptUploads()) === 0);
});

test("four concurrent 25 MiB uploads hold less than 16 MiB of gateway memory", { timeout: 300_000 }, async () => {
  const received: number[] = [];
  let arrived = 0;
  const stall = Promise.withResolvers<void>();
  const upstream = createServer(async (request, response) => {
    arrived += 1;
    if (arrived > 1) await stall.promise;
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    received.push(bytes);
    response.writeHead(200, { "content-type": "application/json" }).end('{"text":"Hi"}');
  });
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  const { port: upstreamPort } = upstream.address() as AddressInfo;
  const yaml = `model_list: [{ model_name: whisper, litellm_params: { model: openai/whisper-1, api_base: "http://127.0.0.1:${upstreamPort}/v1", api_key: sk-x } }]`;
  const child = fork(fileURLToPath(new URL("./upload-gateway.fixture.ts", import.meta.url)), [yaml]);
  // A gateway that doesn't wait for its upstream would hold all files by the time that the upstream reads them.
  const readUpstream = async () => {
    await waitFor("four uploads at the upstream", () => arrived === 5, { limitMs: 120_000 });
    await ask(child, "settle");
    stall.resolve();
  };
  try {
    const { port } = await messageOf(child);
    // The first upload loads code, which stays in memory.
    await upload(port as number, 25 * MIB);
    const { highest: before } = await ask(child, "forget");
    await Promise.all([...Array.from({ length: 4 }, () => upload(port as number, 25 * MIB)), readUpstream()]);
    const { bound } = await ask(child, "tell");
    expect(Math.min(...received.slice(-4))).toBeGreaterThan(25 * MIB);
    expect(((bound as number) - (before as number)) / MIB).toBeLessThan(16);
  } finally {
    child.kill();
    upstream.close();
  }
});

type ChildMessage = Readonly<Partial<Record<"port" | "highest" | "bound", number>>>;

async function messageOf(child: ChildProcess): Promise<ChildMessage> {
  const [message] = (await once(child, "message")) as [ChildMessage];
  return message;
}

function ask(child: ChildProcess, what: string): Promise<ChildMessage> {
  const answering = messageOf(child);
  child.send(what);
  return answering;
}

/** Sends a file as fast as the gateway accepts it. */
async function upload(port: number, bytes: number): Promise<void> {
  const head =
    '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.ogg"\r\n\r\n';
  const tail = "\r\n--b--\r\n";
  const request = send({
    port,
    host: "127.0.0.1",
    path: "/v1/audio/transcriptions",
    method: "POST",
    headers: {
      "x-gw-api-key": MASTER_KEY,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": head.length + bytes + tail.length,
    },
  });
  request.write(head);
  const piece = Buffer.alloc(64 * 1024, 1);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!request.write(piece)) await once(request, "drain");
  }
  request.end(tail);
  const [response] = await once(request, "response");
  expect(response.statusCode).toBe(200);
  response.resume();
  await once(response, "end");
}

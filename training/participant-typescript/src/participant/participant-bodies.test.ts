import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBody } from "../wire/decode-body.ts";
import { encodeBody } from "../wire/encode-body.ts";
import { storeInMemory } from "../wire/memory-bytes.ts";
import { FRAMES_TYPE, type WireForm } from "../wire/wire-body.ts";
import { post, startParticipant } from "./start-participant.fixture.ts";

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

describe("parameters", () => {
  test("with arbitrary bytes round-trip in JSON and in frames, from memory and from the spool", async () => {
    const spooled = { memoryBytes: 8, maxEntries: 1000 };
    const { url } = await startParticipant({}, { limits: spooled });
    const forms = fc.constantFrom<WireForm>("json", "frames");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 100 }), forms, forms, async (bytes, sent, wanted) => {
        const body = encodeBody({}, { parameters: storeInMemory(bytes) }, sent);
        const answer = await fetch(`${url}/train`, {
          method: "POST",
          headers: { "content-type": body.contentType, ...(wanted === "frames" && { accept: FRAMES_TYPE }) },
          body: await collect(body.chunks),
        });
        const received = new Uint8Array(await answer.arrayBuffer());
        const options = { form: wanted, maxBytes: 10_000, maxEntries: 1, memoryBytes: 10_000, folder: tmpdir() };
        const decoded = await decodeBody([received] as unknown as AsyncIterable<Uint8Array>, options);
        expect(await decoded.blobs.parameters?.bytes()).toEqual(bytes);
        expect(answer.headers.get("x-parameters-sha256")).toBe(createHash("sha256").update(bytes).digest("hex"));
      }),
      { numRuns: 60 },
    );
  });

  test("of several megabytes leave no file in the spool folder", async () => {
    const spoolFolder = tmpdir();
    const mine = async (): Promise<string[]> => {
      const folders = (await readdir(spoolFolder)).filter((name) => name.includes(`-${process.pid}-`));
      return (await Promise.all(folders.map((name) => readdir(`${spoolFolder}/${name}`)))).flat();
    };
    const dataset = join(spoolFolder, "missing.csv");
    const { url } = await startParticipant({}, { limits: { memoryBytes: 1000 }, spoolFolder, dataset });
    const parameters = randomBytes(3_000_000).toString("base64");
    expect((await post(url, "/train", { parameters, dataset: [] })).body.parameters === parameters).toBe(true);
    expect((await post(url, "/train", { parameters, dataset: 5 })).status).toBe(400);
    const unread = await post(url, "/train", { parameters });
    expect(unread).toMatchObject({
      status: 500,
      body: { error: "the dataset could not be read", code: "HANDLER_ERROR" },
    });
    await waitFor("the spool to be empty", async () => (await mine()).length === 0);
    for (const _time of ["first", "again"]) {
      expect((await post(url, "/train", { parameters, dataset: [] }, { "idempotency-key": "k" })).status).toBe(200);
    }
    await waitFor("only the kept result to be left", async () => (await mine()).length === 1);
  });

  test("compressed with gzip are decompressed, and invalid gzip is rejected", async () => {
    const { url } = await startParticipant();
    const packed = gzipSync(JSON.stringify({ parameters: "AAEC" }));
    const send = async (body: Buffer, encoding = "gzip") => {
      const headers = { "content-encoding": encoding };
      const answer = await fetch(`${url}/train`, { method: "POST", headers, body: new Uint8Array(body) });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await send(packed)).toEqual({ status: 200, body: { parameters: "AAEC" } });
    const refused = { status: 400, body: { error: "the body is not valid gzip", code: "VALIDATION_ERROR" } };
    expect(await send(packed.subarray(0, -9))).toEqual(refused);
    expect(await send(Buffer.from("not packed at all"))).toEqual(refused);
    expect(await send(packed, "br")).toMatchObject({ status: 415, body: { code: "UNSUPPORTED_MEDIA_TYPE" } });
  });

  test.each(["application/octet-stream", "application/vnd.tollgate.frames2"])(
    "with content type %s are rejected",
    async (type) => {
      const { url } = await startParticipant();
      expect(await post(url, "/train", {}, { "content-type": type })).toMatchObject({
        status: 415,
        body: { error: `content type "${type}" is not supported; use application/json or ${FRAMES_TYPE}` },
      });
    },
  );
});

describe("a body that is too large", () => {
  const limits = { maxJsonBytes: 1000, maxFrameBytes: 2000 };
  const ofLength = (length: number): string => `{"parameters":null,"x":"${" ".repeat(length - 26)}"}`;

  test("is rejected at the first byte over the limit, even when compressed", async () => {
    const { url } = await startParticipant({}, { limits });
    const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      (await fetch(`${url}/evaluate`, { method: "POST", body, headers })).status;
    expect(ofLength(1000).length).toBe(1000);
    expect(await send(ofLength(1000))).toBe(200);
    expect(await send(ofLength(1001))).toBe(413);
    expect(await send(new Uint8Array(gzipSync(ofLength(1001))), { "content-encoding": "gzip" })).toBe(413);
    expect(await send(new Uint8Array(gzipSync(Buffer.alloc(50_000_000, " "))), { "content-encoding": "gzip" })).toBe(
      413,
    );
    const refused = await fetch(`${url}/evaluate`, { method: "POST", body: ofLength(1001) });
    expect(await refused.json()).toEqual({
      error: `the body is larger than 1000 bytes; send large parameters as ${FRAMES_TYPE}`,
      code: "PAYLOAD_TOO_LARGE",
      details: { limitBytes: 1000 },
    });
  });

  test("is rejected based on its Content-Length before any of the body is sent", async () => {
    const { port } = await startParticipant({}, { limits });
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("and never ends is rejected while it arrives", async () => {
    const { port } = await startParticipant({}, { limits });
    const call = request({ port, method: "POST", path: "/train" });
    const answered = once(call, "response");
    call.on("error", () => {});
    call.write('{"parameters":"');
    const timer = setInterval(() => call.write("AAAA".repeat(100)), 1);
    const [answer] = (await answered) as [{ statusCode: number }];
    clearInterval(timer);
    call.destroy();
    expect(answer.statusCode).toBe(413);
  });

  test("gets a response even if the sender reads only at the end", async () => {
    const { port } = await startParticipant({}, { limits });
    const socket = connect(port, "127.0.0.1");
    const body = Buffer.alloc(20_000_000, " ");
    socket.write(`POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
    // The response is read only after all bytes are written.
    await new Promise((resolve) => socket.write(body, resolve));
    const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    expect(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/);
  });
});

describe("a caller that sends Expect: 100-continue", () => {
  const expecting = async (port: number, headers: Record<string, string>) => {
    const call = request({ port, method: "POST", path: "/train", headers: { ...headers, expect: "100-continue" } });
    call.flushHeaders();
    let continued = false;
    call.on("continue", () => {
      continued = true;
      call.end('{"parameters":"AAEC"}');
    });
    const [answer] = (await once(call, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
    const [text] = (await once(answer, "data")) as [Buffer];
    call.destroy();
    return { status: answer.statusCode, continued, text: text.toString() };
  };

  test("gets 100 Continue if the call is acceptable", async () => {
    const { port } = await startParticipant();
    expect(await expecting(port, {})).toEqual({ status: 200, continued: true, text: '{"parameters":"AAEC"}' });
  });

  test("gets no 100 Continue if the token is wrong, the body is too large, or the participant is busy", async () => {
    const { url, port } = await startParticipant(
      { evaluate: (_parameters, _dataset, { signal }) => once(signal, "abort").then(() => 1) },
      { token: "0123456789abcdef" },
    );
    const headers = { authorization: "Bearer 0123456789abcdef" };
    expect(await expecting(port, {})).toMatchObject({ status: 401, continued: false });
    const huge = String(2 ** 31);
    expect(await expecting(port, { ...headers, "content-length": huge })).toMatchObject({
      status: 413,
      continued: false,
    });
    await post(url, "/evaluate", {}, { ...headers, prefer: "respond-async" });
    expect(await expecting(port, headers)).toMatchObject({ status: 409, continued: false });
  });
});

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@tollgate/training-testkit/free-port.ts";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject, Progress } from "../handlers.ts";
import { startParticipant } from "../participant/start-participant.fixture.ts";
import { storeFile } from "../wire/file-bytes.ts";
import { storeInMemory } from "../wire/memory-bytes.ts";
import { ParticipantCallError } from "./participant-call-error.ts";
import { ParticipantClient, type ParticipantClientOptions } from "./participant-client.ts";

const TOKEN = "a-token-of-at-least-sixteen";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a participant built with this SDK", () => {
  test("receives and returns arbitrary parameter bytes, even beyond the memory limit", async () => {
    const { url } = await startParticipant({}, { token: TOKEN });
    const content = randomBytes(20 * 1024 * 1024 + 1);
    const { blobs, jobId, durationMs } = await client(url, { token: TOKEN }).train(
      { parameters: storeInMemory(content), round: 3, config: { rate: 0.1 } },
      { idempotencyKey: "run:3:a", runId: "run" },
    );
    expect(content.equals((await blobs.parameters?.bytes()) ?? Buffer.of())).toBe(true);
    expect(jobId).toEqual(expect.any(String));
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(await readdir(folder)).toHaveLength(1);
    await blobs.parameters?.dispose();
    expect(await readdir(folder)).toEqual([]);
  });

  test("receives the round, run, configuration, data, and weights unchanged", async () => {
    const seen: unknown[] = [];
    const { url } = await startParticipant({
      evaluate: (parameters, dataset, { round, runId, config }) => {
        seen.push(parameters, dataset, round, runId, config);
        return { accuracy: -1.5, numExamples: 7, metrics: { loss: 1.5 } };
      },
      aggregate: (list, { weights }) => {
        seen.push(list.length, weights);
        return Uint8Array.of(1);
      },
    });
    const one = client(url);
    const request = { parameters: null, dataset: [{ x: 1 }], config: { rate: 0.1 }, round: 2 };
    const { fields } = await one.evaluate(request, { runId: "run" });
    expect(fields).toEqual({ accuracy: -1.5, num_examples: 7, metrics: { loss: 1.5 } });
    const parametersList = [Uint8Array.of(1), Uint8Array.of(2)].map(storeInMemory);
    await one.aggregate({ parametersList, weights: [1, 3] });
    expect(seen).toEqual([null, [{ x: 1 }], 2, "run", { rate: 0.1 }, 2, [1, 3]]);
  });

  test("reports progress while a job runs, and the job can be canceled by its ID", async () => {
    const { url } = await startParticipant({
      train: async (_parameters, _dataset, { signal, progress }) => {
        progress({ step: 2, total: 8, metrics: { loss: 0.5 } });
        await once(signal, "abort");
        throw new Error("stopped");
      },
    });
    const one = client(url);
    const reported: Progress[] = [];
    const jobs: string[] = [];
    const outcome = outcomeOf(
      one.train(
        { parameters: null },
        { onProgress: (progress) => reported.push(progress), onJob: (id) => jobs.push(id) },
      ),
    );
    await waitFor("progress", () => reported.length > 0);
    expect(reported[0]).toEqual({ step: 2, total: 8, metrics: { loss: 0.5 } });
    await one.cancel(String(jobs[0]));
    expect(await outcome).toMatchObject({ status: 410, code: "CANCELLED", retryable: false });
  });

  test("continues a job after its caller disconnects, and returns its result for the same idempotency key", async () => {
    const release = Promise.withResolvers<void>();
    let runs = 0;
    const { url } = await startParticipant({
      train: async () => {
        runs += 1;
        await release.promise;
        return Uint8Array.of(9);
      },
    });
    const one = client(url);
    const leaving = new AbortController();
    const first = outcomeOf(
      one.train(
        { parameters: null },
        { idempotencyKey: "k", signal: leaving.signal, onJob: () => leaving.abort("left") },
      ),
    );
    expect(await first).toBe("left");
    release.resolve();
    const second = await one.train({ parameters: null }, { idempotencyKey: "k" });
    expect(await second.blobs.parameters?.bytes()).toEqual(Uint8Array.of(9));
    expect(runs).toBe(1);
  });

  test("returns the reason for a failure and whether it is retryable", async () => {
    const { url } = await startParticipant(
      {
        train: async (_parameters, _dataset, { signal }) => once(signal, "abort"),
        evaluate: () => {
          throw new Error("no such column");
        },
      },
      { token: TOKEN },
    );
    const one = client(url, { token: TOKEN });
    const stranger = client(url, { token: `${TOKEN}-not` });
    const refused = await outcomeOf(stranger.evaluate({ parameters: null }));
    expect(refused).toMatchObject({ status: 401, code: "UNAUTHORIZED", retryable: false });
    expect(JSON.stringify(refused) + String(refused)).not.toContain(TOKEN);
    expect(await outcomeOf(one.evaluate({ parameters: null }))).toMatchObject({
      status: 500,
      code: "HANDLER_ERROR",
      message: "no such column",
      retryable: false,
    });
    const started = Promise.withResolvers<string>();
    const running = outcomeOf(one.train({ parameters: null }, { onJob: started.resolve }));
    const jobId = await started.promise;
    expect(await outcomeOf(one.evaluate({ parameters: null }))).toMatchObject({
      status: 409,
      code: "BUSY",
      retryable: true,
      retryAfterMs: expect.any(Number),
      details: { currentJobId: jobId },
    });
    await one.cancel(jobId);
    await running;
  });

  test("rejects an oversized body while it is being sent, and the sender still gets the response", async () => {
    const { url } = await startParticipant({}, { limits: { maxFrameBytes: 1000 } });
    const parameters = storeInMemory(Buffer.alloc(30_000_000));
    expect(await outcomeOf(client(url).train({ parameters }))).toMatchObject({
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
      details: { limitBytes: 1000 },
    });
  });

  test("is healthy until it closes", async () => {
    const running = await startParticipant();
    const one = client(running.url);
    expect(await one.healthy()).toBe(true);
    expect(await one.status()).toMatchObject({
      apiVersion: "1",
      handlers: { train: true },
      formats: ["json", "frames"],
    });
    await running.close();
    expect(await one.healthy()).toBe(false);
  });
});

describe("a participant that supports only the three basic calls", () => {
  test("gets exactly the basic fields in plain JSON, and its plain response is read", async () => {
    const bodies: JsonObject[] = [];
    const url = await startServer(async (request, response) => {
      if (request.method === "GET") return response.writeHead(404).end("<h1>Not Found</h1>");
      expect(request.headers.prefer).toBeUndefined();
      const body = JSON.parse(await textOf(request)) as JsonObject;
      bodies.push(body);
      response.end(JSON.stringify(request.url === "/evaluate" ? { accuracy: 0.5 } : { parameters: "AQID" }));
    });
    const one = client(url);
    expect(await one.status()).toBeNull();
    expect(await one.healthy()).toBe(true);
    const parameters = storeInMemory(Uint8Array.of(1, 2, 3));
    const trained = await one.train({ parameters, config: { rate: 1 }, round: 1 }, { idempotencyKey: "k" });
    expect(await trained.blobs.parameters?.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    expect((await one.evaluate({ parameters: null, dataset: [{ x: 1 }] })).fields).toEqual({ accuracy: 0.5 });
    await one.aggregate({ parametersList: [parameters, parameters], weights: [1, 2] });
    expect(bodies).toEqual([
      { parameters: "AQID", dataset: [] },
      { parameters: null, dataset: [{ x: 1 }] },
      { parameters_list: ["AQID", "AQID"] },
    ]);
  });
});

describe("an untrusted participant response is rejected", () => {
  test.each<[string, (response: ServerResponse) => void, object]>([
    [
      "if it is a redirect",
      (response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
      { code: "REDIRECTED" },
    ],
    [
      "if it is an HTML page",
      (response) => response.writeHead(500).end("<h1>\u001b[2J</h1>"),
      { code: "HTTP_ERROR", message: "responded with 500" },
    ],
    [
      "if it comes from a busy proxy",
      (response) => response.writeHead(503, { "retry-after": "7" }).end(),
      { retryable: true, retryAfterMs: 7000 },
    ],
    [
      "if it contains control characters",
      (response) => response.writeHead(400).end('{"error":"a\\u001b[2J\\nb","code":"X"}'),
      { message: "a [2J b", code: "X" },
    ],
    [
      "if its base64 is invalid",
      (response) => response.end('{"parameters":"AQ!D"}'),
      { code: "INVALID_ANSWER", retryable: false },
    ],
    ["if it has no parameters", (response) => response.end('{"accuracy":1}'), { code: "INVALID_ANSWER" }],
    [
      "if its parameters don't match their digest",
      (response) => response.setHeader("x-parameters-sha256", "00").end('{"parameters":"AQID"}'),
      { message: /sha256/ },
    ],
    [
      "if it is too large",
      (response) => flood(response, '{"parameters":"', "QUJD".repeat(4096)),
      { message: /larger than 1000000 bytes/ },
    ],
    [
      "if its error message is too large",
      (response) => flood(response.writeHead(500), '{"error":"', "x".repeat(16384)),
      { message: "responded with 500" },
    ],
    [
      "if the connection breaks",
      (response) => response.write('{"param', () => response.destroy()),
      { status: 0, code: "UNREACHABLE", retryable: true },
    ],
  ])("%s", async (_name, answer, expected) => {
    const url = await startServer((request, response) => {
      if (request.method === "GET") response.writeHead(404).end();
      else request.resume().on("end", () => answer(response));
    });
    const outcome = await outcomeOf(client(url, { maxAnswerBytes: 1_000_000 }).train({ parameters: null }));
    expect(outcome).toBeInstanceOf(ParticipantCallError);
    const { message, ...rest } = expected as { message?: string | RegExp };
    expect(outcome).toMatchObject(rest);
    if (message !== undefined) expect(String((outcome as Error).message)).toMatch(message);
    expect(await readdir(folder)).toEqual([]);
  });

  test("if its accuracy is infinite", async () => {
    const url = await startServer((request, response) => {
      if (request.method === "GET") response.writeHead(404).end();
      else response.end('{"accuracy":1e999}');
    });
    expect(await outcomeOf(client(url).evaluate({ parameters: null }))).toMatchObject({ code: "INVALID_ANSWER" });
  });
});

describe("while a job runs", () => {
  test("the client reconnects after a broken connection without sending the work again", async () => {
    const calls: string[] = [];
    const url = await startJobServer((request, response) => {
      calls.push(String(request.method));
      if (calls.filter((method) => method === "GET").length <= 2) response.destroy();
      else response.end('{"parameters":"AQID"}');
    }, calls);
    const { blobs } = await client(url).train({ parameters: null });
    expect(await blobs.parameters?.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    expect(calls).toEqual(["POST", "GET", "GET", "GET"]);
  });

  test("a lost job is retryable", async () => {
    const url = await startJobServer((_request, response) => response.writeHead(404).end());
    expect(await outcomeOf(client(url).train({ parameters: null }))).toMatchObject({
      code: "JOB_LOST",
      retryable: true,
    });
  });

  test("the timeout ends the wait", async () => {
    const url = await startServer((request, response) => {
      if (request.method === "GET") response.writeHead(404).end();
    });
    const outcome = await outcomeOf(
      client(url, { graceSeconds: 0 }).train({ parameters: null }, { timeoutSeconds: 0.1 }),
    );
    expect(outcome).toMatchObject({ status: 0, code: "TIMEOUT" });
  });
});

test("a missing local file is not reported as a participant error", async () => {
  const { url } = await startParticipant();
  const path = join(folder, "checkpoint");
  await writeFile(path, "model");
  const parameters = await storeFile(path);
  await rm(path);
  const outcome = await outcomeOf(client(url).train({ parameters }));
  expect(outcome).not.toBeInstanceOf(ParticipantCallError);
  expect(outcome).toMatchObject({ code: "ENOENT" });
});

describe("participant URL and connection", () => {
  test("an untrusted certificate fails permanently, and a trusted certificate is accepted", async () => {
    const openssl = (...args: string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"];
    const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    openssl("req", "-x509", ...key, "-out", "cert.pem", ...name, "-days", "2");
    const [cert, secret] = await Promise.all(["cert.pem", "key.pem"].map((file) => readFile(join(folder, file))));
    await Promise.all(["cert.pem", "key.pem"].map((file) => rm(join(folder, file))));
    const { url } = await startParticipant({}, { tls: { cert: cert ?? "", key: secret ?? "" } });
    expect(url).toMatch(/^https:/);
    expect(await outcomeOf(client(url).evaluate({ parameters: null }))).toMatchObject({
      code: "UNREACHABLE",
      message: expect.stringMatching(/self.signed/),
      retryable: false,
    });
    const trusting = client(url, { tls: { ca: cert } });
    expect((await trusting.evaluate({ parameters: null })).fields).toEqual({ accuracy: 0.5 });
  });

  test("a refused connection is reported as unreachable and retryable", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    expect(await outcomeOf(client(url).train({ parameters: null }))).toMatchObject({
      status: 0,
      code: "UNREACHABLE",
      message: "not reachable: connection refused",
      retryable: true,
    });
    expect(await client(url).healthy()).toBe(false);
  });

  test.each([
    ["http://10.0.0.1:5000", /Plain HTTP to 10\.0\.0\.1/],
    ["http://participant.example", /use https/],
    ["http://127.0.0.1.example:5000", /use https/],
    ["https://name:secret@host", /must not contain a username/],
    ["ftp://host", /https:\/\/ or http:\/\//],
    ["host:5000", /https:\/\//],
    ["https://host/?x=1", /must not have a query/],
  ])("%s is rejected before anything is sent", (url, message) => {
    expect(() => client(url)).toThrow(message);
  });

  test("plain HTTP is allowed on this machine, and elsewhere only if enabled; a path prefix is preserved", async () => {
    expect(() => client("http://10.0.0.1:5000", { allowPlainHttp: true })).not.toThrow();
    expect(() => client("http://[::1]:5000")).not.toThrow();
    const paths: (string | undefined)[] = [];
    const url = await startServer((request, response) => {
      paths.push(request.url);
      response.writeHead(404).end();
    });
    await client(`${url}/bank-a`).status();
    expect(paths).toEqual(["/bank-a/status"]);
  });
});

function client(url: string, options: Partial<ParticipantClientOptions> = {}): ParticipantClient {
  const made = new ParticipantClient({ url, folder, ...options });
  onTestFinished(() => made.close());
  return made;
}

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

/**
 * Starts a server that reports itself as a Tollgate participant and returns a job ID. The test handles all other
 * requests.
 */
function startJobServer(onResult: RequestListener, calls: string[] = []): Promise<string> {
  return startServer((request, response) => {
    if (request.url === "/status") response.end('{"apiVersion":"1","formats":["json"]}');
    else if (request.method === "POST") {
      calls.push("POST");
      request.resume().on("end", () => response.writeHead(202).end('{"jobId":"j1","state":"queued"}'));
    } else if (request.url === "/jobs/j1/result") onResult(request, response);
    else response.writeHead(500).end();
  });
}

async function startServer(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function flood(response: ServerResponse, head: string, piece: string): void {
  response.write(head);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

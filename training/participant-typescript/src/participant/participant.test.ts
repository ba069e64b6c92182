import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Logger } from "../handlers.ts";
import { BadRequest, IncompatibleParameters } from "../participant-failure.ts";
import { Participant } from "./participant.ts";
import { post, startParticipant } from "./start-participant.fixture.ts";

describe("a client that uses only the three basic calls", () => {
  test("gets exactly the three responses without sending a header", async () => {
    const { url } = await startParticipant();
    const answers = [];
    for (const [path, body] of [
      ["/train", { parameters: "AAEC", dataset: [{ x: 1 }] }],
      ["/evaluate", { parameters: "AAEC", dataset: [] }],
      ["/aggregate", { parameters_list: ["AAEC", "AA=="] }],
    ] as const) {
      // Use a raw socket, because fetch would add its own headers.
      const { hostname, port } = new URL(url);
      const text = JSON.stringify(body);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
      );
      const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
      answers.push(received.slice(received.indexOf("\r\n\r\n") + 4));
    }
    expect(answers).toEqual(['{"parameters":"AAEC"}', '{"accuracy":0.5}', '{"parameters":"AAEC"}']);
  });

  test("starts from an untrained model if parameters are null, missing, or an empty string", async () => {
    const seen: unknown[] = [];
    const { url } = await startParticipant({
      train: (parameters) => {
        seen.push(parameters);
        return Uint8Array.of(7);
      },
    });
    for (const body of [{ parameters: null, dataset: [] }, { dataset: [] }, { parameters: "", dataset: [] }]) {
      expect(await post(url, "/train", body)).toMatchObject({ status: 200, body: { parameters: "Bw==" } });
    }
    expect(seen).toEqual([null, null, null]);
  });

  test("gets extra fields only if the function returned them", async () => {
    const { url } = await startParticipant({
      train: () => ({ parameters: Uint8Array.of(1), numExamples: 12, metrics: { loss: 0.25 } }),
      evaluate: () => ({ accuracy: -3.5, metrics: { loss: 3.5 } }),
    });
    expect((await post(url, "/train", {})).body).toEqual({
      parameters: "AQ==",
      num_examples: 12,
      metrics: { loss: 0.25 },
    });
    expect((await post(url, "/evaluate", {})).body).toEqual({ accuracy: -3.5, metrics: { loss: 3.5 } });
  });
});

describe("the response to a failed call", () => {
  test.each([
    ["evaluate", "0.5", "evaluate returned string; expected a number"],
    ["evaluate", { accuracy: null }, "evaluate returned null; expected a number"],
    ["evaluate", Number.NaN, "evaluate returned an accuracy that is not finite"],
    ["evaluate", Number.NEGATIVE_INFINITY, "evaluate returned an accuracy that is not finite"],
    [
      "evaluate",
      { accuracy: 1, metrics: { loss: Number.NaN } },
      "evaluate returned metrics that are not finite numbers",
    ],
    [
      "evaluate",
      { accuracy: 1, numExamples: 1.5 },
      "evaluate returned num_examples that is not a non-negative integer",
    ],
    ["train", undefined, "train returned undefined; expected bytes"],
    ["train", new Float32Array(2), "train returned Float32Array; expected bytes"],
    ["train", [1, 2], "train returned an array; expected bytes"],
    ["train", new Uint8Array(), "train returned empty parameters; set allowEmpty if this is intended"],
    ["aggregate", { weights: 1 }, "aggregate returned an object; expected bytes"],
  ] as const)("explains why %s must not return %j", async (operation, value, message) => {
    const { url } = await startParticipant({ [operation]: () => value });
    const body = operation === "aggregate" ? { parameters_list: ["AA=="] } : {};
    expect(await post(url, `/${operation}`, body)).toMatchObject({
      status: 500,
      body: { error: message, code: "INVALID_RESULT", jobId: expect.stringMatching(/^job_/) },
    });
  });

  test.each([
    [new BadRequest("no such layer", { layer: "fc" }), 400, { code: "VALIDATION_ERROR", details: { layer: "fc" } }],
    [new IncompatibleParameters("shapes differ"), 422, { error: "shapes differ", code: "INCOMPATIBLE_PARAMETERS" }],
    [new Error("boom"), 500, { error: "boom", code: "HANDLER_ERROR" }],
    [new Error(""), 500, { error: "train failed", code: "HANDLER_ERROR" }],
    ["a string", 500, { error: "a string", code: "HANDLER_ERROR" }],
  ])("reports thrown %s with a code and a message, without a stack", async (thrown, status, body) => {
    const { url } = await startParticipant({
      train: () => {
        throw thrown;
      },
    });
    const answer = await post(url, "/train", {});
    expect(answer).toMatchObject({ status, body });
    expect(JSON.stringify(answer.body)).not.toContain(".ts");
  });

  test("contains the stack only with exposeErrors", async () => {
    const train = () => {
      throw new Error("boom");
    };
    const { url } = await startParticipant({ train }, { exposeErrors: true });
    expect((await post(url, "/train", {})).body).toMatchObject({
      details: { stack: expect.stringContaining("participant.test.ts") },
    });
  });
});

test("each call is logged as one entry, and an error's stack starts with the line of the user's code that threw it", async () => {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const folder = await mkdtemp(join(tmpdir(), "own-code-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "model.mjs");
  await writeFile(file, 'export function trainBadly() {\n  throw new TypeError("no weights");\n}\n');
  const { trainBadly } = (await import(file)) as { trainBadly(): never };
  const { url } = await startParticipant({ train: trainBadly }, { logger: { info: log, warn: log, error: log } });
  await post(url, "/train", { parameters: "AAEC" });
  await post(url, "/evaluate", {});
  await post(url, "/aggregate", { parameters_list: ["AAEC"] });
  expect(lines[0]).toContain(`participant  ${url}      functions  train ✓  evaluate ✓  aggregate ✓`);
  expect(lines[1]).toMatch(
    /^\d\d:\d\d:\d\d {2}train {6}failed {2}TypeError: no weights {3}→ 500 HANDLER_ERROR, see below\n {4}at .*trainBadly.*model\.mjs:2:\d+/,
  );
  expect(lines[2]).toMatch(/^\d\d:\d\d:\d\d {2}evaluate {3}\d+\.\d s +accuracy 0\.5 +ok$/);
  expect(lines[3]).toMatch(/aggregate {2}\d+\.\d s +3 B in {2}3 B out +ok$/);
});

describe("a participant", () => {
  const quiet = { port: 0, logger: { info() {}, warn() {}, error() {} } };

  test("returns each registered function, and warns when a function is replaced", () => {
    const warnings: string[] = [];
    const logger: Logger = { ...quiet.logger, warn: (line) => void warnings.push(line) };
    const participant = new Participant({ logger });
    const evaluate = () => 1;
    expect(participant.registerEvaluate(evaluate)).toBe(evaluate);
    participant.registerEvaluate(() => 2);
    expect(warnings).toEqual(["evaluate was registered twice; using the last one"]);
  });

  test("fails to run without the required functions, and throws if a function is registered later", async () => {
    const participant = new Participant(quiet);
    participant.registerEvaluate(() => 1);
    await expect(participant.run({ signals: false })).rejects.toThrow("no train, no aggregate function is registered");
    const running = await participant.run({ require: ["evaluate"], signals: false });
    onTestFinished(() => running.close());
    expect(() => participant.registerTrain(() => Uint8Array.of(1))).toThrow("after run()");
    expect(await post(running.url, "/train", {})).toMatchObject({
      status: 501,
      body: { error: "no train function is registered", code: "NOT_REGISTERED" },
    });
  });

  test("reports a port that is in use", async () => {
    const { port } = await startParticipant();
    const second = new Participant({ ...quiet, port });
    await expect(second.run({ require: [], signals: false })).rejects.toThrow(`port ${port} is in use`);
  });
});

test("handler() serves the same API from an existing server", async () => {
  const participant = new Participant({ logger: { info() {}, warn() {}, error() {} } });
  participant.registerEvaluate(() => 0.75);
  const server = createServer(participant.handler()).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address() as { port: number };
  expect((await post(`http://127.0.0.1:${address.port}`, "/evaluate", {})).body).toEqual({ accuracy: 0.75 });
});

describe("paths and methods", () => {
  test.each([
    ["GET", "/nothing", 404, undefined],
    ["GET", "/jobs/job_none", 404, undefined],
    ["GET", "/jobs/job_none/result", 404, undefined],
    ["DELETE", "/jobs/job_none", 404, undefined],
    ["GET", "/train", 405, "POST, OPTIONS"],
    ["POST", "/status", 405, "GET, HEAD, OPTIONS"],
    ["PUT", "/jobs/x", 405, "GET, HEAD, DELETE, OPTIONS"],
    ["OPTIONS", "/aggregate", 204, "POST, OPTIONS"],
    ["HEAD", "/status", 200, undefined],
    ["GET", "/health", 200, undefined],
    ["POST", "/call", 404, undefined],
  ])("%s %s returns %i", async (method, path, status, allow) => {
    const { url } = await startParticipant();
    const answer = await fetch(url + path, { method });
    expect([answer.status, answer.headers.get("allow") ?? undefined]).toEqual([status, allow]);
    const text = await answer.text();
    if (status >= 400) expect(JSON.parse(text)).toEqual({ error: expect.any(String), code: expect.any(String) });
    if (method === "HEAD") expect(text).toBe("");
  });

  test("status contains the data that a coordinator needs", async () => {
    const { url } = await startParticipant({}, { datasets: { mnist: [{ x: 1 }], file: "rows.csv" } });
    expect(await (await fetch(`${url}/status`)).json()).toEqual({
      apiVersion: "1",
      sdk: "typescript/0.2.0",
      handlers: { train: true, evaluate: true, aggregate: true },
      busy: false,
      current: null,
      queue: 0,
      limits: {
        maxJsonBytes: 268_435_456,
        maxFrameBytes: 8_589_934_592,
        maxEntries: 1000,
        maxSeconds: { train: 86_400, evaluate: 3600, aggregate: 3600 },
      },
      datasets: [{ name: "mnist", rows: 1 }, { name: "file" }],
      formats: ["json", "frames"],
    });
  });

  test("/call reads its operation from the body, if enabled", async () => {
    const { url } = await startParticipant({}, { compat: { call: true } });
    expect((await post(url, "/call", { method: "evaluate", parameters: null })).body).toEqual({ accuracy: 0.5 });
    expect(await post(url, "/call", { method: "destroy" })).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR" },
    });
  });

  test("a request that is not HTTP also gets a JSON error", async () => {
    const { port } = await startParticipant();
    const socket = connect(port, "127.0.0.1");
    socket.write("NONSENSE\r\n\r\n");
    const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    expect(received).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*\{"error":"the request is not valid HTTP","code":"VALIDATION_ERROR"\}$/,
    );
  });
});

describe("invalid fields are rejected", () => {
  test.each([
    ["/train", { dataset: "file:///etc/passwd" }, 'dataset must be an array of objects, null, or {"ref": "<name>"}'],
    ["/train", { dataset: [{}, 1] }, "dataset[1] must be an object"],
    [
      "/train",
      { dataset: { ref: "../secret" } },
      'dataset.ref must be a name of 1 to 64 letters, digits, ".", "_", or "-"',
    ],
    ["/train", { dataset: { ref: "mnist", limit: 0 } }, "dataset.limit must be an integer of at least 1"],
    ["/train", { dataset: { ref: "mnist", split: 1 } }, "dataset.split must be a string"],
    ["/train", { config: [] }, "config must be an object"],
    ["/train", { round: -1 }, "round must be a non-negative integer"],
    ["/train", { parameters: 5 }, "parameters must be a base64 string or null"],
    ["/train", { parameters: "AA==AA==" }, "parameters is not valid base64"],
    ["/aggregate", {}, "parameters_list must be an array of base64 strings"],
    ["/aggregate", { parameters_list: [] }, "parameters_list must have 1 to 1000 entries"],
    ["/aggregate", { parameters_list: Array(1001).fill("AA==") }, "parameters_list must have 1 to 1000 entries"],
    [
      "/aggregate",
      { parameters_list: ["AA=="], weights: [1, 2] },
      "weights must have as many entries as parameters_list",
    ],
    ["/aggregate", { parameters_list: ["AA=="], weights: [-1] }, "weights[0] must be a number of at least 0"],
    ["/aggregate", { parameters_list: ["AA=="], weights: [0] }, "weights must have a finite sum above 0"],
    ["/aggregate", { parameters_list: ["AA=="], weights: {} }, "weights must be an array of numbers"],
  ])("%s %j", async (path, body, error) => {
    const { url } = await startParticipant({}, { datasets: { mnist: [] } });
    expect(await post(url, path, body)).toMatchObject({ status: 400, body: { error, code: "VALIDATION_ERROR" } });
  });

  test.each([
    ["x-round", "1.5", "X-Round must be a non-negative integer"],
    ["x-timeout-seconds", "0", "X-Timeout-Seconds must be a number above 0"],
    ["x-timeout-seconds", "soon", "X-Timeout-Seconds must be a number above 0"],
    ["idempotency-key", "k".repeat(256), "Idempotency-Key must have 1 to 255 characters"],
  ])("header %s: %s", async (name, value, error) => {
    const { url } = await startParticipant();
    expect(await post(url, "/train", {}, { [name]: value })).toMatchObject({ status: 400, body: { error } });
  });
});

test("the function receives the job's details from the request", async () => {
  const { url } = await startParticipant({
    aggregate: (list, { weights, config, round, runId, jobId }) => ({
      parameters: Buffer.from(
        JSON.stringify({ sizes: list.map((entry) => entry.length), weights, config, round, runId }),
      ),
      metrics: { hasId: Number(jobId.startsWith("job_")) },
    }),
  });
  const body = { parameters_list: ["AA==", "AAEC"], weights: [1, 2.5], config: { lr: 0.1 }, round: 4 };
  const answer = await post(url, "/aggregate", body, { "x-run-id": "fraud-v3", "x-round": "3" });
  expect(answer.body).toMatchObject({ metrics: { hasId: 1 } });
  const seen = JSON.parse(Buffer.from(String(answer.body.parameters), "base64").toString());
  expect(seen).toEqual({ sizes: [1, 3], weights: [1, 2.5], config: { lr: 0.1 }, round: 4, runId: "fraud-v3" });
});

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Participant } from "./participant.ts";
import { post, startParticipant } from "./start-participant.fixture.ts";

const FIRST = "first-secret-0123456789";
const SECOND = "second-secret-0123456789";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const quiet = { info() {}, warn() {}, error() {} };

describe("a participant token", () => {
  test("is required for every path except health, and several tokens are valid during a rotation", async () => {
    const { url } = await startParticipant({}, { token: `${FIRST}, ${SECOND}` });
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { headers })).status;
    expect(await status("/healthz")).toBe(200);
    expect(await status("/status")).toBe(401);
    expect(await status("/nothing")).toBe(401);
    expect(await status("/jobs/job_x")).toBe(401);
    expect(await status("/status", bearer(FIRST))).toBe(200);
    expect(await status("/status", bearer(SECOND))).toBe(200);
    expect(await status("/status", bearer(`${FIRST}x`))).toBe(401);
    expect(await status("/status", { authorization: FIRST })).toBe(401);
    const refused = await post(url, "/train", {}, bearer("wrong-wrong-wrong-wrong"));
    expect(refused.body).toEqual({ error: "the token is missing or wrong", code: "UNAUTHORIZED" });
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("that is wrong is rate-limited after ten failures per minute per IP address, but the right token still works", async () => {
    const { url } = await startParticipant({}, { token: FIRST });
    const statuses = [];
    for (let guess = 0; guess < 12; guess += 1) {
      const answer = await fetch(`${url}/status`, { headers: bearer(`guess-${guess}-guess-guess`) });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await fetch(`${url}/status`, { headers: bearer(FIRST) })).status).toBe(200);
  });

  test("that is too short is rejected without being shown", () => {
    const attempt = () => new Participant({ token: "hunter2" });
    expect(attempt).toThrow("at least 16 characters");
    expect(attempt).not.toThrow("hunter2");
  });
});

describe("a participant without a token", () => {
  test("does not listen on the network unless insecure is set", async () => {
    const open = new Participant({ host: "0.0.0.0", port: 0, logger: quiet });
    await expect(open.run({ require: [], signals: false })).rejects.toThrow("without a token");
    const meant = new Participant({ host: "0.0.0.0", port: 0, insecure: true, logger: quiet });
    const running = await meant.run({ require: [], signals: false });
    await running.close();
  });

  test("rejects requests from web pages of other origins", async () => {
    const { url } = await startParticipant();
    expect((await post(url, "/train", {}, { origin: "https://evil.example" })).status).toBe(401);
    expect((await post(url, "/train", {}, { origin: "null" })).status).toBe(401);
    expect((await post(url, "/train", {}, { origin: "http://localhost:8080" })).status).toBe(200);
  });

  test("rejects network requests when mounted on a public server", async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((candidate) => candidate?.family === "IPv4" && !candidate.internal)?.address;
    if (address === undefined) return;
    const participant = new Participant({ logger: quiet });
    participant.registerEvaluate(() => 1);
    const server = createServer(participant.handler()).listen(0, "0.0.0.0");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await post(`http://${address}:${port}`, "/evaluate", {})).status).toBe(401);
    expect((await post(`http://127.0.0.1:${port}`, "/evaluate", {})).status).toBe(200);
  });
});

describe("TLS", () => {
  let folder: string;
  const pem = (name: string): Buffer => readFileSync(join(folder, name));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "participant-tls-"));
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl("req", "-x509", ...curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca", "-days", "2");
    for (const name of ["server", "client"]) {
      openssl("req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", "/CN=localhost");
      openssl(
        "x509",
        "-req",
        "-in",
        `${name}.csr`,
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-out",
        `${name}.pem`,
        "-days",
        "2",
      );
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const status = async (port: number, credentials: { cert?: Buffer; key?: Buffer } = {}): Promise<number> => {
    const options = {
      host: "127.0.0.1",
      servername: "localhost",
      port,
      path: "/status",
      ca: pem("ca.pem"),
      agent: false,
    };
    const call = request({ ...options, ...credentials }).end();
    const [answer] = (await once(call, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
    answer.resume();
    return answer.statusCode;
  };

  test("does not change the API", async () => {
    const { url, port } = await startParticipant({}, { tls: { cert: pem("server.pem"), key: pem("server.key") } });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect(await status(port)).toBe(200);
  });

  test("with a client CA accepts only callers whose certificate that CA signed", async () => {
    const tls = { cert: pem("server.pem"), key: pem("server.key"), clientCa: pem("ca.pem") };
    const { port } = await startParticipant({}, { tls });
    expect(await status(port, { cert: pem("client.pem"), key: pem("client.key") })).toBe(200);
    await expect(status(port)).rejects.toThrow();
  });
});

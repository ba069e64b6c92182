import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { type ServeReady, SIMULATED_MODELS, startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";

const MASTER_KEY = "sk-master-of-certificates";
const NAME = "gateway.test";

interface Served {
  readonly port: number;
  readonly ready: ServeReady;
  readonly folder: string;
  readonly authority: CertificateAuthority;
  hangUp(): void;
}

async function serve(databaseUrl: string): Promise<Served> {
  const authority = new CertificateAuthority();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
  install(folder, authority);
  const instance = await startServe({
    folder,
    settings: `${SIMULATED_MODELS}general_settings: { master_key: ${MASTER_KEY} }\n`,
    databaseUrl,
    processes: 2,
    env: { TOLLGATE_TLS_CERT: join(folder, "cert.pem"), TOLLGATE_TLS_KEY: join(folder, "key.pem") },
  });
  onTestFinished(async () => {
    await instance.stop();
    authority.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { port, ready, program } = instance;
  return { port, ready, folder, authority, hangUp: () => program.signal("SIGHUP") };
}

function install(folder: string, authority: CertificateAuthority): void {
  const { certificate, key } = authority.issue(NAME);
  writeFileSync(join(folder, "cert.pem"), certificate);
  writeFileSync(join(folder, "key.pem"), key);
}

/** Sends a request as a client that trusts the CA and verifies the host name. */
function ask({ port, authority }: Served, agent: Agent, path: string, body: string | null): Promise<string> {
  const headers = { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" };
  const method = body === null ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, headers, agent };
    const sent = request({ ...options, ca: authority.certificate, servername: NAME }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    sent.on("error", reject).end(body ?? undefined);
  });
}

function shownBy(port: number, more: object): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, servername: NAME, ...more }, () => {
      const certificate = socket.getPeerCertificate();
      socket.destroy();
      resolve(certificate);
    });
    socket.on("error", reject);
  });
}

const chat = (stream: boolean) =>
  JSON.stringify({ model: "sim/echo", stream, messages: [{ role: "user", content: "hi over TLS" }] });

test("a TLS listener serves responses and streams, and loads a new certificate without interrupting calls", async ({
  database,
}) => {
  const served = await serve(database.connectionString);
  expect(served.ready).toMatchObject({ baseUrl: `https://127.0.0.1:${served.port}` });
  const agent = new Agent({ keepAlive: true });
  expect(await ask(served, agent, "/v1/chat/completions", chat(false))).toContain("hi over TLS");
  expect(await ask(served, agent, "/v1/chat/completions", chat(true))).toContain("data: [DONE]");
  await expect(shownBy(served.port, { maxVersion: "TLSv1.1", minVersion: "TLSv1.1" })).rejects.toThrow();
  await expect(fetch(`http://127.0.0.1:${served.port}/health/liveness`)).rejects.toThrow();

  const before = (await shownBy(served.port, {})).serialNumber;
  install(served.folder, served.authority);
  served.hangUp();
  await waitFor("every process to show the new certificate", async () => {
    // Any process may respond, so all processes must present the new certificate.
    const shown = await Promise.all(Array.from({ length: 8 }, () => shownBy(served.port, {})));
    return shown.every(({ serialNumber }) => serialNumber !== before);
  });
  expect(await ask(served, agent, "/v1/chat/completions", chat(false))).toContain("hi over TLS");
  agent.destroy();
});

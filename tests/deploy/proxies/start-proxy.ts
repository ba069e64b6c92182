import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { findProxy, libraryPath, type ProxyName } from "./programs.ts";
import { fillSample, type Places, samples } from "./samples.ts";

export interface RunningProxy {
  readonly port: number;
  stop(): Promise<void>;
}

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly both: string;
}

/** Creates a self-signed certificate for this machine. */
export function makeCertificate(folder: string): Certificate {
  const certificate = join(folder, "gateway.pem");
  const key = join(folder, "gateway.key");
  const both = join(folder, "both.pem");
  const subject = ["-subj", "/CN=gateway.example.com", "-addext", "subjectAltName=DNS:gateway.example.com"];
  const files = ["-keyout", key, "-out", certificate, "-days", "1"];
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...files, ...subject];
  execFileSync("openssl", args, { stdio: "ignore" });
  writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  return { certificate, key, both };
}

/** Starts the proxy with our sample configuration. Resolves when the proxy is listening. */
export async function startProxy(
  name: ProxyName,
  wanted: Pick<Places, "upstreamPort" | "subPath"> & Certificate & { readonly scratch: string },
): Promise<RunningProxy> {
  const port = await findFreePort();
  const folder = join(wanted.scratch, `${name}-${port}`);
  mkdirSync(folder);
  const places = { ...wanted, folder, port };
  const file = join(folder, samples[name].file);
  writeFileSync(file, fillSample(name, places));
  const child = spawn(findProxy(name), samples[name].args(file, places), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LD_LIBRARY_PATH: libraryPath, HOME: folder },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const failed = ended.then(() => Promise.reject(new Error(`${name} ended: ${said.slice(-2_000)}`)));
  await Promise.race([waitFor(`${name} to listen`, () => isListening(port)), failed]);
  failed.catch(() => {});
  return {
    port,
    stop: async () => {
      // After SIGTERM, haproxy and nginx may wait for open connections.
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 2_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => socket.destroy(resolve(true) as never));
    socket.once("error", () => resolve(false));
  });
}

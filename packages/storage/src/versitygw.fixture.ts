import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import type { S3ClientOptions } from "./s3/s3-client.ts";
import { fixedCredentials } from "./s3/s3-credentials.ts";

const program = join(import.meta.dirname, "../../../tools/go/bin/versitygw");
const ACCESS_KEY_ID = "tollgate-test";
export const SECRET_ACCESS_KEY = "canary-secret-access-key-0123456789";
const REGION = "eu-central-1";
const BUCKET = "usage-log";
/** Base domain of virtual-host style addresses. No resolver knows it. */
const DOMAIN = "s3.test";

/** True if versitygw is installed (`scripts/versitygw install`). */
export const hasVersitygw = existsSync(program);

/** An S3 server on this machine that checks signatures, with one bucket. */
export interface S3Server {
  readonly port: number;
  /** Options of a client for the bucket. */
  readonly options: S3ClientOptions;
  /** Options of a client that addresses the bucket by a host name. */
  readonly hostOptions: S3ClientOptions;
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "versitygw-"));
  const [data, sidecar] = [join(folder, "data"), join(folder, "sidecar")];
  await mkdir(join(data, BUCKET), { recursive: true });
  await mkdir(sidecar);
  const port = await findFreePort();
  const args = ["--port", `127.0.0.1:${port}`, "--region", REGION, "--quiet", "--keep-alive"];
  args.push("--virtual-domain", `${DOMAIN}:${port}`, "posix", "--sidecar", sidecar, data);
  const child: ChildProcess = spawn(program, args, {
    stdio: "ignore",
    env: { ROOT_ACCESS_KEY_ID: ACCESS_KEY_ID, ROOT_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY },
  });
  await waitFor("versitygw to respond", () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  const options: S3ClientOptions = {
    bucket: BUCKET,
    region: REGION,
    endpoint: `http://127.0.0.1:${port}`,
    addressing: "path",
    prefix: "",
    credentials: fixedCredentials({
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: new Secret(SECRET_ACCESS_KEY),
      sessionToken: null,
    }),
  };
  return {
    port,
    options,
    hostOptions: {
      ...options,
      endpoint: `http://${DOMAIN}:${port}`,
      addressing: "host",
      lookup: (_host, { all }, callback) =>
        all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

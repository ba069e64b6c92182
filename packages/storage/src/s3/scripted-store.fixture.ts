import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@tollgate/domain/secret.ts";
import { onTestFinished } from "vitest";
import { fixedCredentials } from "./s3-credentials.ts";
import { S3Storage } from "./s3-storage.ts";

/** A response of a store that does not do what S3 does. */
interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Starts a store that responds as a script says until the test ends. `requests` are its requests so far. */
export async function openScriptedStore(
  respond: (request: IncomingMessage, requests: readonly string[]) => ScriptedResponse,
  prefix = "",
): Promise<{ readonly storage: S3Storage; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const { status = 200, headers = {}, body } = respond(incoming, requests);
    const size = headers["transfer-encoding"] === undefined ? { "content-length": String(body.length) } : {};
    incoming.resume().on("end", () => outgoing.writeHead(status, { ...size, ...headers }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const storage = new S3Storage({
    bucket: "logs",
    region: "eu-central-1",
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addressing: "path",
    prefix,
    credentials: fixedCredentials({ accessKeyId: "id", secretAccessKey: new Secret("secret"), sessionToken: null }),
  });
  onTestFinished(async () => {
    storage.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { storage, requests };
}

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestGateway } from "./request-gateway.ts";

const authority = new CertificateAuthority();
const own = authority.issue("gateway.test");
const another = authority.issue("gateway.test");
const gateway = createServer({ cert: own.certificate, key: own.key }, (_request, response) => response.end("{}"));
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});

afterAll(async () => {
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
  authority.close();
});

async function ask(certificate: string | null): Promise<number | undefined> {
  const request = requestGateway({ url, host: null, certificate }, "/health", { method: "GET", agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test("calls a gateway over loopback if it presents the expected certificate, regardless of its host name", async () => {
  expect(await ask(own.certificate)).toBe(200);
});

test("rejects a different certificate, even for the same host name", async () => {
  await expect(ask(another.certificate)).rejects.toThrow();
  await expect(ask(null)).rejects.toThrow();
});

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { isGlobalAddress } from "@tollgate/domain/network/global-address.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createGuardedLookup } from "@tollgate/runtime/resolve-host.ts";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { startConnectProxy } from "@tollgate/testkit/connect-proxy.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UpstreamClients } from "./upstream-clients.ts";

const authority = new CertificateAuthority();
const upstream = createServer({ ...withCert(authority.issue("models.test")) }, (request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ host: request.headers.host }));
});
const usual = getCACertificates("default");
let port = 0;

function withCert({ certificate, key }: { certificate: string; key: string }) {
  return { cert: certificate, key };
}

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  port = (upstream.address() as AddressInfo).port;
  setDefaultCACertificates([...usual, authority.certificate]);
});

afterAll(async () => {
  setDefaultCACertificates(usual);
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  authority.close();
});

/** Sends one request. Resolves with the status or the error. */
function send(clients: UpstreamClients): Promise<number | Error> {
  const { promise, resolve } = Promise.withResolvers<number | Error>();
  clients.send(
    { path: "/chat", headers: ["content-type", "application/json"], body: Buffer.from("{}") },
    {
      onStart: (_control, status) => resolve(status),
      onData: () => {},
      onEnd: () => {},
      onError: (error) => resolve(error),
    },
  );
  return promise;
}

const proxyAt = (url: string, authorization: string | null = null) => ({
  url: new URL(url),
  authorization: authorization === null ? null : new Secret(authorization),
});

describe.for([
  ["the gateway's own client", false],
  ["the library's client", true],
] as const)("upstream client behind a proxy, with %s", ([, usesLibrary]) => {
  test("sends TLS through a tunnel, verifies the upstream's certificate, and reuses connections", async () => {
    const proxy = await startConnectProxy({ port });
    const clients = new UpstreamClients("https://models.test/v1", { usesLibrary, proxy: proxyAt(proxy.url) });
    const countTunnels = async () => {
      const before = proxy.asked.length;
      expect(await send(clients)).toBe(200);
      return proxy.asked.length - before;
    };
    expect(await countTunnels()).toBe(1);
    // A connection can be reused when it has been idle for 10 ms, or later on a busy machine.
    await expect.poll(countTunnels, { interval: 30 }).toBe(0);
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT models.test:443"]));
    await clients.close();
    await proxy.close();
  });

  test("rejects an upstream certificate for a different host name inside the tunnel", async () => {
    const proxy = await startConnectProxy({ port });
    const clients = new UpstreamClients("https://others.test/v1", { usesLibrary, proxy: proxyAt(proxy.url) });
    expect(await send(clients)).toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    await clients.close();
    await proxy.close();
  });

  test("rejects a certificate from an untrusted authority", async () => {
    setDefaultCACertificates(usual);
    const proxy = await startConnectProxy({ port });
    const clients = new UpstreamClients("https://models.test/v1", { usesLibrary, proxy: proxyAt(proxy.url) });
    expect(await send(clients)).toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    setDefaultCACertificates([...usual, authority.certificate]);
    await clients.close();
    await proxy.close();
  });

  test("sends credentials to the proxy, and if they are missing, reports that the proxy refused the request", async () => {
    const proxy = await startConnectProxy({ port, authorization: "Basic bWU6aGlkZGVu" });
    const known = new UpstreamClients("https://models.test", {
      usesLibrary,
      proxy: proxyAt(proxy.url, "Basic bWU6aGlkZGVu"),
    });
    expect(await send(known)).toBe(200);
    const unknown = new UpstreamClients("https://models.test", { usesLibrary, proxy: proxyAt(proxy.url) });
    expect(await send(unknown)).toMatchObject({ name: "ProxyRefused", message: expect.stringContaining("407") });
    await known.close();
    await unknown.close();
    await proxy.close();
  });

  test("sends plain HTTP requests to the proxy with the absolute URL", async () => {
    const proxy = await startConnectProxy({ port, authorization: "Basic bWU6aGlkZGVu" });
    const clients = new UpstreamClients("http://models.test:8080/v1", {
      usesLibrary,
      proxy: proxyAt(proxy.url, "Basic bWU6aGlkZGVu"),
    });
    expect(await send(clients)).toBe(200);
    expect(proxy.asked).toEqual(["POST http://models.test:8080/v1/chat"]);
    await clients.close();
    await proxy.close();
  });

  test("distinguishes an unavailable proxy from an unavailable upstream", async () => {
    const clients = new UpstreamClients("https://models.test", { usesLibrary, proxy: proxyAt("http://127.0.0.1:9") });
    expect(await send(clients)).toMatchObject({ name: "ProxyRefused", code: "ECONNREFUSED" });
    await clients.close();
  });

  test("refuses a guarded name that resolves to an internal address, but allows a name that only the proxy can resolve", async () => {
    const proxy = await startConnectProxy({ port });
    const inward = createGuardedLookup(isGlobalAddress, async () => ["10.0.0.1"]);
    const refused = new UpstreamClients("https://models.test", {
      usesLibrary,
      lookup: inward,
      proxy: proxyAt(proxy.url),
    });
    expect(await send(refused)).toMatchObject({ name: "AddressRefused" });
    expect(proxy.asked).toEqual([]);
    const unknown = createGuardedLookup(isGlobalAddress, async () => Promise.reject(new Error("no such name")));
    const allowed = new UpstreamClients("https://models.test", {
      usesLibrary,
      lookup: unknown,
      proxy: proxyAt(proxy.url),
    });
    expect(await send(allowed)).toBe(200);
    await refused.close();
    await allowed.close();
    await proxy.close();
  });
});

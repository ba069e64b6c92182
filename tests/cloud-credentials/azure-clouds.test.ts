import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { apps } from "@tollgate/server/operate-apps.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished } from "vitest";
import { test } from "./machine.fixture.ts";

const options = { tenant_id: "tenant", client_id: "client", client_secret: "secret" };

/** The server that Microsoft's library contacts for `https://login.chinacloudapi.cn`. */
const CHINA = "login.partner.microsoftonline.cn:443";

/** Starts a proxy that records the servers that clients want to reach, and connects to none. */
async function startProxy() {
  const hosts: string[] = [];
  const proxy = createServer().on("connect", ({ url }, socket) => {
    hosts.push(String(url));
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { hosts, origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

describe("an Azure deployment with a client secret gets its token from", () => {
  test.for([
    ["https://acme.openai.azure.com", {}, "login.microsoftonline.com:443"],
    ["https://acme.openai.azure.us", {}, "login.microsoftonline.us:443"],
    ["https://acme.openai.azure.cn", {}, CHINA],
    ["https://acme.openai.azure.us", { AZURE_AUTHORITY_HOST: "https://login.chinacloudapi.cn" }, CHINA],
  ] as const)("the cloud of %s with the variables %j: %s", async ([apiBase, variables, expected], { machine }) => {
    const proxy = await startProxy();
    machine.set({ ...variables, HTTPS_PROXY: proxy.origin, NO_PROXY: "" });
    const settings = { modelName: "cloud", provider: "azure", upstreamModel: "gpt", apiBase, apiKey: null, options };
    const obtained = apps.gateway.credentialSourceOf(settings)?.obtain();
    obtained?.catch(() => {});
    await waitFor("a connection", () => proxy.hosts.length > 0);
    expect(proxy.hosts[0]).toBe(expected);
    await expect(obtained).rejects.toThrow("could not get Microsoft Entra credentials");
  });
});

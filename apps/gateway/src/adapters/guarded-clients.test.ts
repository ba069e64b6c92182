import { isGlobalAddress } from "@tollgate/domain/network/global-address.ts";
import { createGuardedLookup } from "@tollgate/runtime/resolve-host.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { test } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { UpstreamClients } from "./upstream-clients.ts";

/** Sends one request. Resolves with the status or the error name. */
function send(clients: UpstreamClients): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  clients.send(
    { path: "/chat", headers: ["content-type", "application/json"], body: Buffer.from("{}") },
    {
      onStart: (_control, status) => resolve(status),
      onData: () => {},
      onEnd: () => {},
      onError: ({ name }) => resolve(name),
    },
  );
  return promise;
}

describe.for([
  ["the gateway's own client", false],
  ["the library's client", true],
] as const)("guarded transport connections, with %s", ([, usesLibrary]) => {
  test("refuses a host name that resolves to an internal address at connection time", async ({ upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer());
    // Results of the name lookup. The first result contains both a public and an internal address.
    const answers = [
      ["93.184.215.14", "127.0.0.1"],
      ["127.0.0.1"],
      ["::1"],
      ["::ffff:127.0.0.1"],
      ["169.254.169.254"],
      [],
    ];
    for (const addresses of answers) {
      const clients = new UpstreamClients(`http://rebinding.example:${upstreams.alpha.port}`, {
        usesLibrary,
        lookup: createGuardedLookup(isGlobalAddress, async () => addresses),
      });
      expect(await send(clients), addresses.join()).toBe("AddressRefused");
      await clients.close();
    }
    expect(upstreams.alpha.connectionCount).toBe(0);
  });

  test("connects to the address that was checked, without a second lookup", async ({ upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer());
    let asked = 0;
    const lookup = createGuardedLookup(
      () => true,
      async () => {
        asked += 1;
        return ["127.0.0.1"];
      },
    );
    const clients = new UpstreamClients(`http://inside.example:${upstreams.alpha.port}`, { lookup });
    expect(await send(clients)).toBe(200);
    expect(asked).toBe(1);
    expect((await upstreams.alpha.request(0)).headers.host).toBe(`inside.example:${upstreams.alpha.port}`);
    await clients.close();
  });
});

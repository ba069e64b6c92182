import { Secret } from "@tollgate/domain/secret.ts";
import { beforeEach, describe, expect, test } from "vitest";
import type { Provider, Transport, TransportLayer } from "../call/provider.ts";
import { providers } from "../providers/registry.ts";
import { Transports } from "./transports.ts";

const openai = providers.get("openai") as Provider;
const sim = providers.get("sim") as Provider;
const key = (text: string) => new Secret(text);

let closed: Transport[];
let transports: Transports;

beforeEach(() => {
  closed = [];
  transports = new Transports(() => {
    const transport: Transport = {
      send: () => ({ pause() {}, resume() {}, abort() {} }),
      close: async () => void closed.push(transport),
    };
    return transport;
  });
});

describe("transports", () => {
  test("are shared by deployments with the same URL and credential", () => {
    const one = transports.get(openai, "https://a.example", key("sk-1"));
    expect(transports.get(openai, "https://a.example", key("sk-1"))).toBe(one);
  });

  test("are never shared across URLs or credentials", () => {
    const all = [
      transports.get(openai, "https://a.example", key("sk-1")),
      transports.get(openai, "https://a.example", key("sk-2")),
      transports.get(openai, "https://a.example", null),
      transports.get(openai, "https://b.example", key("sk-1")),
      transports.get(sim, null, null),
    ];
    expect(new Set(all).size).toBe(5);
  });

  test("are never shared across transport layers, and closing a layer closes its connections", async () => {
    const layer = (identity: string): TransportLayer => ({
      identity,
      over: (connections, open) => {
        const other = open("https://tokens.example");
        const close = async () => void (await Promise.all([connections.close(), other.close()]));
        return { send: connections.send, close };
      },
    });
    const get = (identity: string) => transports.get(openai, "https://a.example", null, false, layer(identity));
    const plain = transports.get(openai, "https://a.example", null);
    expect(get("one")).toBe(get("one"));
    expect(new Set([plain, get("one"), get("two")]).size).toBe(3);
    await transports.keepOnly(new Set([plain, get("two")]));
    expect(closed).toHaveLength(2);
  });

  test("require a URL", () => {
    expect(() => transports.get(openai, null, null)).toThrow("no api_base");
  });
});

describe("transports on a settings change", () => {
  test("stay open while they are in use, and are closed exactly once if they are unused", async () => {
    const kept = transports.get(openai, "https://a.example", null);
    const dropped = transports.get(openai, "https://b.example", null);
    await transports.keepOnly(new Set([kept]));
    expect(closed).toEqual([dropped]);
    await transports.keepOnly(new Set([kept]));
    expect(closed).toEqual([dropped]);
    expect(transports.get(openai, "https://a.example", null)).toBe(kept);
    expect(transports.get(openai, "https://b.example", null)).not.toBe(dropped);
  });

  test("are all closed by closeAll", async () => {
    const all = ["https://a.example", "https://b.example"].map((address) => transports.get(openai, address, null));
    await transports.closeAll();
    expect(closed).toEqual(all);
  });
});

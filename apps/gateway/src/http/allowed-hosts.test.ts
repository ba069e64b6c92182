import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { managementOperations } from "../management-operations.fixture.ts";
import { MASTER_KEY, startTestGateway, type TestGateway } from "../test-gateway.fixture.ts";
import { CHAT_BODY, RawClient } from "./raw-client.fixture.ts";
import { createHostCheck } from "./request-headers.ts";
import { informationOperations } from "./routes/information-operations.ts";

const oddHosts = [
  "evil.test",
  "api.example.test.evil.test",
  "evil.test:443",
  "api.example.test:443:80",
  "api.example.test.",
  "xapi.example.test",
  "api.example.test/models",
  "api.example.test/health/liveliness?",
  "api.example.test?",
  "api.example.test#",
  "api.example.test@evil.test",
  "evil.test@api.example.test",
  "api.example.test\\",
  "api.example.test,evil.test",
  "api.example.test evil.test",
  "[::1]",
  "[::1",
  "127.0.0.1",
  "localhost",
  "0x7f.1",
  "*",
  ".",
  "",
];

/** Headers that, on some servers, override the host, path, or method of a request. */
const steeringHeaders = [
  "x-forwarded-host: localhost",
  "x-forwarded-proto: https",
  "x-forwarded-prefix: /health/liveliness",
  "x-forwarded-uri: /health/liveliness",
  "x-forwarded-path: /docs",
  "x-forwarded-for: 127.0.0.1",
  "x-real-ip: 127.0.0.1",
  "x-original-url: /health/liveliness",
  "x-rewrite-url: /health/liveliness",
  "x-http-method-override: GET",
  "x-original-host: localhost",
  "forwarded: for=127.0.0.1;host=localhost;proto=https",
  "referer: http://localhost/docs",
  "x-gw-internal: 1",
];

const guarded: { method: string; path: string }[] = [
  ...informationOperations(managementOperations)
    .filter(({ auth }) => auth === "key")
    .flatMap(({ method, paths }) => paths.map((path) => ({ method, path: fillIn(path) }))),
  ...["/chat/completions", "/v1/chat/completions", "/engines/sim%2Fecho/chat/completions"].map((path) => ({
    method: "POST",
    path,
  })),
];

function fillIn(path: string): string {
  return path.replace("{model_id}", "sim/echo").replaceAll(/\{\w+\}/g, "some-id");
}

function ask(method: string, path: string, lines: readonly string[]): string {
  const body = method === "POST" ? CHAT_BODY : "";
  const framing = method === "POST" ? ["content-type: application/json", `content-length: ${body.length}`] : [];
  return `${[`${method} ${path} HTTP/1.1`, ...lines, ...framing].join("\r\n")}\r\n\r\n${body}`;
}

describe("X9: the host and address headers of a request never affect authorization", () => {
  let open: TestGateway;
  let named: TestGateway;

  beforeAll(async () => {
    open = await startTestGateway();
    named = await startTestGateway({ yaml: "general_settings: { allowed_hosts: [api.example.test] }" });
  });
  afterAll(async () => {
    await open.close();
    await named.close();
  });

  async function statusOf(gateway: TestGateway, request: string): Promise<number> {
    const client = await RawClient.connect(gateway.port);
    client.send(request);
    const { status } = await client.answer(0);
    client.close();
    return status;
  }

  test("the list of guarded paths is not empty", () => {
    expect(guarded.length).toBeGreaterThan(8);
  });

  test.each(guarded)("$method $path needs a key regardless of the Host header", async ({ method, path }) => {
    const statuses = await Promise.all(oddHosts.map((host) => statusOf(open, ask(method, path, [`host: ${host}`]))));
    for (const [index, host] of oddHosts.entries()) expect([400, 401, 421], host).toContain(statuses[index]);
  });

  test.each(guarded)("$method $path needs a key regardless of forwarding headers", async ({ method, path }) => {
    for (const header of steeringHeaders) {
      expect(await statusOf(open, ask(method, path, ["host: gateway.test", header])), header).toBe(401);
    }
    expect(await statusOf(open, ask(method, path, ["host: gateway.test", ...steeringHeaders]))).toBe(401);
  });

  test.each(guarded)("$method $path returns 421 for a host that is not allowed", async ({ method, path }) => {
    const credentials = [`x-gw-api-key: ${MASTER_KEY}`, "x-forwarded-host: api.example.test"];
    const statuses = await Promise.all(
      oddHosts.map((host) => statusOf(named, ask(method, path, [`host: ${host}`, ...credentials]))),
    );
    expect(statuses).toEqual(oddHosts.map(() => 421));
  });

  test.each(["api.example.test", "API.Example.Test", "api.example.test:8443"])(
    "serves requests with the allowed Host header %s",
    async (host) => {
      const lines = [`host: ${host}`, `x-gw-api-key: ${MASTER_KEY}`];
      expect(await statusOf(named, ask("POST", "/v1/chat/completions", lines))).toBe(200);
      expect(await statusOf(named, ask("GET", "/models", lines))).toBe(200);
    },
  );

  test("rejects an absolute request target, so that it cannot conflict with the Host header", async () => {
    const lines = ["host: api.example.test", `x-gw-api-key: ${MASTER_KEY}`];
    expect(await statusOf(named, ask("GET", "http://api.example.test/models", lines))).toBe(400);
    expect(await statusOf(named, ask("GET", "http://evil.test/models", lines))).toBe(400);
  });

  test("rejected requests cause no unexpected errors", () => {
    expect([...open.unexpected, ...named.unexpected]).toEqual([]);
    expect([...open.records, ...named.records].map(({ status }) => status)).toEqual(["success", "success", "success"]);
  });
});

describe("createHostCheck", () => {
  test("accepts only listed names, in any letter case, and with any port unless the list entry has a port", () => {
    const isAllowed = createHostCheck(["api.example.test", "[::1]", "with-port.test:4000"]);
    for (const host of ["api.example.test", "API.EXAMPLE.TEST:1", "[::1]", "[::1]:80", "with-port.test:4000"]) {
      expect(isAllowed(host), host).toBe(true);
    }
    for (const host of [...oddHosts.filter((host) => host !== "[::1]"), "with-port.test", "with-port.test:4001"]) {
      expect(isAllowed(host), host).toBe(false);
    }
  });

  test("rejects everything except a listed name with an optional port", () => {
    const isAllowed = createHostCheck(["api.example.test"]);
    const piece = fc.constantFrom(
      "api.example.test",
      "api",
      ".",
      ":",
      "80",
      "@",
      "/",
      "#",
      "\\",
      " ",
      "\t",
      "%2e",
      "evil",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.string({ maxLength: 4 }), (pieces, tail) => {
        const host = pieces.join("") + tail;
        expect(isAllowed(host)).toBe(/^api\.example\.test(:\d{1,5})?$/i.test(host));
      }),
      { numRuns: 2_000 },
    );
  });

  test("accepts any well-formed name if there is no list, and rejects malformed names", () => {
    const isAllowed = createHostCheck([]);
    for (const host of ["gateway.test", "127.0.0.1:4000", "[::1]:4000", "a_b.test", "[::ffff:10.0.0.1]"]) {
      expect(isAllowed(host), host).toBe(true);
    }
    for (const host of ["", " ", "a b", "a/b", "a,b", "a@b", "a:b", "[::1", "::1]", "a:123456", "a".repeat(262), "é"]) {
      expect(isAllowed(host), host).toBe(false);
    }
  });
});

import { randomBytes, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { Secret } from "@tollgate/domain/secret.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needsVersitygw } from "../adapters.fixture.ts";
import { type FaultyProxy, startFaultyProxy } from "../faulty-proxy.fixture.ts";
import { type S3Server, SECRET_ACCESS_KEY, startS3Server } from "../versitygw.fixture.ts";
import { bucketUrlOf } from "./s3-address.ts";
import { fixedCredentials, type S3Credentials } from "./s3-credentials.ts";
import { PART_BYTES, S3Storage } from "./s3-storage.ts";
import { readElements, readErrorCode, readText } from "./s3-xml.ts";

const small = Buffer.from("small");
const large = randomBytes(PART_BYTES + 1_000);

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("an S3 store behind an unreliable network", needsVersitygw, () => {
  let server: S3Server;
  let proxy: FaultyProxy;
  let storage: S3Storage;
  beforeAll(async () => {
    server = await startS3Server();
    proxy = await startFaultyProxy(server.port);
    storage = new S3Storage({ ...server.options, endpoint: proxy.url });
  });
  afterAll(async () => {
    storage.close();
    await proxy.close();
    await server.stop();
  });

  test.for([
    ["a small object", small, "PUT"],
    ["the start of an upload", large, "POST uploads"],
    ["a part", large, "PUT partNumber"],
    ["the completion of an upload", large, "POST uploadId"],
    ["the check for an existing object", small, "HEAD"],
  ] as const)("repeats %s until it succeeds", async ([, content, kind]) => {
    const key = `repeated/${randomUUID()}`;
    proxy.fail(kind, "busy", "lost request", "lost response");
    await storage.write(key, [content]);
    expect((await readAll(storage.read(key))).equals(content)).toBe(true);
  });

  test.for([
    ["a small object", small, "PUT"],
    ["the completion of an upload", large, "POST uploadId"],
  ] as const)(
    "distinguishes its own object from another writer's if the response to %s is lost",
    async ([, content, kind]) => {
      const own = `own/${randomUUID()}`;
      proxy.fail(kind, "lost response");
      await storage.write(own, [content]);
      const others = `others/${randomUUID()}`;
      const writer = new S3Storage(server.options);
      onTestFinished(() => writer.close());
      const slow = (async function* () {
        yield content;
        // The object appears after this write has checked that there is none.
        await writer.write(others, [Buffer.from("other")]);
      })();
      proxy.fail(kind, "lost request");
      await expect(storage.write(others, slow)).rejects.toMatchObject({ kind: "exists" });
      expect((await readAll(storage.read(others))).toString()).toBe("other");
    },
  );

  test("continues an interrupted read where it stopped", async () => {
    const key = `cut/${randomUUID()}`;
    await storage.write(key, [large]);
    proxy.fail("GET", "cut response", "lost request", "cut response");
    expect((await readAll(storage.read(key))).equals(large)).toBe(true);
    // Any number of interruptions is fine if bytes arrived between them.
    proxy.fail("GET", ...Array.from({ length: 8 }, () => "cut response" as const));
    expect((await readAll(storage.read(key))).equals(large)).toBe(true);
    proxy.fail("GET", "cut response");
    expect(
      (await readAll(storage.read(key, { start: 1_000, end: 900_000 }))).equals(large.subarray(1_000, 900_000)),
    ).toBe(true);
  });

  test("gives up after five attempts, and names the store and the key but no resolved address", async () => {
    proxy.fail("HEAD", "busy", "busy", "busy", "busy", "lost request");
    const before = proxy.requests.length;
    const refused = await storage.find("some/key").catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: "unavailable" });
    expect(String(refused)).toMatch(/usage-log\/ does not respond: ECONNRESET: some\/key$/);
    expect(proxy.requests.length - before).toBe(5);
  });

  test("asks for new credentials if the store says that they have expired", async () => {
    const { credentials } = server.options;
    const discarded: S3Credentials[] = [];
    const discard = (refused: S3Credentials) => discarded.push(refused);
    const renewing = new S3Storage({
      ...server.options,
      endpoint: proxy.url,
      credentials: { get: () => credentials.get(), discard },
    });
    onTestFinished(() => renewing.close());
    proxy.fail("GET", "expired");
    for await (const _ of renewing.list("renewed/"));
    expect(discarded).toHaveLength(1);
  });

  test("deletes abandoned uploads that are old enough, of its own prefix", async () => {
    const inPrefix = new S3Storage({ ...server.options, endpoint: proxy.url, prefix: "team/" });
    onTestFinished(() => inPrefix.close());
    const failing = (async function* () {
      yield large;
      throw new Error("disconnected");
    })();
    // The abort fails, too, as if the process had died.
    proxy.fail("DELETE", "busy", "busy", "busy", "busy", "busy");
    await expect(inPrefix.write("abandoned", failing)).rejects.toThrow("disconnected");
    expect(await inPrefix.deleteAbandonedWrites(new Date(Date.now() - 60_000))).toBe(0);
    expect(await inPrefix.deleteAbandonedWrites(new Date(Date.now() + 60_000))).toBe(1);
    expect(await inPrefix.deleteAbandonedWrites(new Date(Date.now() + 60_000))).toBe(0);
  });

  test("fails without the right secret key, and prints neither of them", async () => {
    const wrong = "wrong-secret-access-key-0123456789";
    const denied = new S3Storage({
      ...server.options,
      credentials: fixedCredentials({
        accessKeyId: "tollgate-test",
        secretAccessKey: new Secret(wrong),
        sessionToken: null,
      }),
    });
    onTestFinished(() => denied.close());
    const failure = await denied.write("denied", [small]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "denied" });
    await storage.find("anything");
    const printed = [failure, denied, storage, storage.location].map((value) =>
      inspect(value, { depth: 12, showHidden: true }),
    );
    expect(printed.join()).not.toContain(wrong);
    expect(printed.join()).not.toContain(SECRET_ACCESS_KEY);
  });

  test("reports a bucket that does not exist as unavailable, not as an empty one", async () => {
    const elsewhere = new S3Storage({ ...server.options, bucket: "no-such-bucket" });
    onTestFinished(() => elsewhere.close());
    await expect(elsewhere.write("key", [small])).rejects.toMatchObject({ kind: "unavailable" });
    await expect(readAll(elsewhere.read("key"))).rejects.toMatchObject({ kind: "unavailable" });
    const list = async () => {
      for await (const _ of elsewhere.list(""));
    };
    await expect(list()).rejects.toMatchObject({ kind: "unavailable" });
  });
});

test("addresses a bucket by path or by host, at a service of its own or at Amazon's", () => {
  const bucket = { bucket: "logs", region: "eu-west-1", prefix: "" };
  const urlOf = (endpoint: string | null, addressing: "path" | "host") =>
    bucketUrlOf({ ...bucket, endpoint, addressing }).href.replace(/\/$/, "");
  expect(urlOf(null, "host")).toBe("https://logs.s3.eu-west-1.amazonaws.com");
  expect(urlOf(null, "path")).toBe("https://s3.eu-west-1.amazonaws.com/logs");
  expect(urlOf("https://store.example:9000/", "path")).toBe("https://store.example:9000/logs");
  expect(urlOf("https://store.example/s3/", "path")).toBe("https://store.example/s3/logs");
  expect(urlOf("https://store.example/s3", "host")).toBe("https://logs.store.example/s3");
});

test("reads documents with entities, and only error documents as errors", () => {
  const list =
    "<ListBucketResult><Contents><Key>a&amp;b&#x2F;&#99;</Key><Size>7</Size></Contents><Contents><Key/></Contents>";
  expect(readElements(list, "Contents")).toHaveLength(2);
  expect(readText(list, "Key")).toBe("a&b/c");
  expect(readText(list, "Missing")).toBe("");
  expect(readErrorCode('<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>')).toBe("NoSuchKey");
  expect(readErrorCode("<Error><Code>&lt;script&gt;</Code></Error>")).toBeNull();
  expect(readErrorCode("<Result><Code>NoSuchKey</Code></Result>")).toBeNull();
});

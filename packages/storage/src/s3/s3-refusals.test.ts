import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needsVersitygw } from "../adapters.fixture.ts";
import { type FaultyProxy, startFaultyProxy } from "../faulty-proxy.fixture.ts";
import { type S3Server, startS3Server } from "../versitygw.fixture.ts";
import type { S3Credentials } from "./s3-credentials.ts";
import { S3Storage } from "./s3-storage.ts";

describe("an S3 store that refuses requests", needsVersitygw, () => {
  let server: S3Server;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    server = await startS3Server();
    proxy = await startFaultyProxy(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  function openRenewing() {
    const { credentials } = server.options;
    const discarded: S3Credentials[] = [];
    const storage = new S3Storage({
      ...server.options,
      endpoint: proxy.url,
      credentials: { get: () => credentials.get(), discard: (refused) => discarded.push(refused) },
    });
    onTestFinished(() => storage.close());
    return { storage, discarded };
  }

  test.for(["HEAD", "PUT"])("a write continues with new credentials if those of its %s expired", async (method) => {
    const { storage, discarded } = openRenewing();
    const key = `renewed/${randomUUID()}`;
    proxy.fail(method, "expired");
    await storage.write(key, [Buffer.from("text")]);
    expect(discarded).toHaveLength(1);
    expect(await storage.find(key)).toEqual({ key, bytes: 4 });
  });

  test("a search whose new credentials are refused, too, fails with the store's reason", async () => {
    const { storage, discarded } = openRenewing();
    proxy.fail("HEAD", "expired", "expired");
    proxy.fail("GET", "expired");
    await expect(storage.find("refused")).rejects.toThrow(/responded with 400 ExpiredToken: refused$/);
    expect(discarded).toHaveLength(1);
  });

  test("a bucket that does not exist is unavailable to searches and deletions, and not empty", async () => {
    const elsewhere = new S3Storage({ ...server.options, bucket: "no-such-bucket" });
    onTestFinished(() => elsewhere.close());
    await expect(elsewhere.find("key")).rejects.toMatchObject({ kind: "unavailable" });
    await expect(elsewhere.delete("key")).rejects.toMatchObject({ kind: "unavailable" });
  });
});

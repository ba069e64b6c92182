import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@tollgate/contracts/failures.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { UploadedFile } from "../call/call-body.ts";
import { FileSpool } from "./read-form.ts";

const MIB = 1024 * 1024;

async function bytesOf(file: UploadedFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Other programs on this machine also write to the system's folder. */
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-spool-"));
  vi.stubEnv("TMPDIR", folder);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const spooledNames = () => readdir(tmpdir());

test("a file can be read back unchanged any number of times, from memory or disk and for any chunk size", async () => {
  const source = Buffer.from(Array.from({ length: 3 * MIB }, (_, index) => (index * 31 + (index >> 9)) & 255));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 1_000, MIB, MIB + 1, 3 * MIB),
      fc.constantFrom(997, 16 * 1024, 65_536, 2 * MIB),
      async (size, chunkBytes) => {
        const spool = new FileSpool("a.wav", "audio/wav", 4 * MIB, () => {});
        for (let start = 0; start < size; start += chunkBytes) {
          spool.add(source.subarray(start, Math.min(size, start + chunkBytes)));
        }
        const file = await spool.finish();
        expect(file).toMatchObject({ filename: "a.wav", contentType: "audio/wav", size });
        expect(file.head.equals(source.subarray(0, Math.min(size, 16 * 1024)))).toBe(true);
        const [first, second] = await Promise.all([bytesOf(file), bytesOf(file)]);
        expect(first.equals(source.subarray(0, size))).toBe(true);
        expect(second.equals(first)).toBe(true);
        await file.close();
      },
    ),
    { numRuns: 24 },
  );
});

test("a file that is spooled to disk is not visible in the directory", async () => {
  const before = await spooledNames();
  const spool = new FileSpool("a.wav", "audio/wav", 8 * MIB, () => {});
  for (let count = 0; count < 40; count += 1) spool.add(Buffer.alloc(64 * 1024, count));
  const file = await spool.finish();
  expect(await spooledNames()).toEqual(before);
  await file.close();
  await expect(bytesOf(file)).rejects.toThrow();
});

test("pauses a sender that is faster than the disk and then resumes it", async () => {
  let resumed = 0;
  const spool = new FileSpool("a.wav", "audio/wav", 32 * MIB, () => {
    resumed += 1;
  });
  spool.add(Buffer.alloc(MIB));
  expect(spool.isReady).toBe(true);
  spool.add(Buffer.alloc(MIB));
  expect(spool.isReady).toBe(false);
  await waitFor("the disk to catch up", () => resumed === 1);
  expect(spool.isReady).toBe(true);
  await spool.discard();
});

test("rejects a file at the byte that exceeds the limit", async () => {
  const spool = new FileSpool("a.wav", "audio/wav", MIB, () => {});
  spool.add(Buffer.alloc(MIB));
  expect(() => spool.add(Buffer.alloc(1))).toThrow(Failure);
  await spool.discard();
});

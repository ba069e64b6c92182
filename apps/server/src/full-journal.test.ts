import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { needsRoot } from "@tollgate/testkit/needs.ts";
import { reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

/** Mounts a two-megabyte disk for the duration of the test. */
function mountDisk(): string {
  const disk = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
  // Unmount lazily, because a failed test may still have files open.
  onTestFinished(() => {
    execFileSync("umount", ["-l", disk]);
    rmdirSync(disk);
  });
  return disk;
}

/** Fills the disk. */
function fill(filler: string): void {
  for (const size of [64 * 1024, 4 * 1024]) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    } catch {
      // The disk is full for this block size, but a smaller block may still fit.
    }
  }
}

test(
  "if the disk is full, the gateway refuses new calls before they are sent, finishes running calls, and recovers",
  needsRoot,
  async ({ tollgate, upstreams }) => {
    const disk = mountDisk();
    const gateway = await tollgate.start({ journalRoot: disk });
    const tenant = await tollgate.addTenant({ credit: 1_000_000_000_000n });
    const ending = Promise.withResolvers<void>();
    const frames = chatFrames({ outputTokens: 3 });
    const streaming = streamFrames(frames, { beforeFrame: (index) => (index === 2 ? ending.promise : undefined) });
    upstreams.alpha.behaves(streaming, reply(200, chatAnswer()));
    const stream = await gateway.chat(tenant.apiKey, { model: "flat", stream: true, max_tokens: 5 });

    const filler = join(disk, "filler");
    fill(filler);
    const call = () => gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 5 });
    // The gateway uses up its preallocated segments first.
    let served = 0;
    let refusal: Response | null = null;
    while (refusal === null) {
      const answers = await Promise.all(Array.from({ length: 20 }, call));
      served += answers.filter(({ status }) => status === 200).length;
      refusal = answers.find(({ status }) => status !== 200) ?? null;
    }
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get("retry-after")).toBe("1");
    expect(await refusal.json()).toMatchObject({ error: { code: "accounting_unavailable", type: "server_error" } });
    const sent = upstreams.alpha.requests.length;
    expect((await call()).status).toBe(503);
    expect(upstreams.alpha.requests).toHaveLength(sent);

    ending.resolve();
    expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/);

    await rm(filler);
    await waitFor("an answer", async () => (await call()).status === 200, { limitMs: 2_000 });
    await tollgate.settled(tenant, served + 2);
    await gateway.stop();
  },
);

test("a second gateway can't use the journal of a running gateway", async ({ tollgate, upstreams }) => {
  const journalRoot = await mkdtemp(join(tmpdir(), "tollgate-shared-"));
  onTestFinished(() => rm(journalRoot, { recursive: true, force: true }));
  const first = await tollgate.start({ journalRoot });
  await expect(tollgate.start({ journalRoot })).rejects.toThrow(
    `The journal in ${join(journalRoot, "gateway-0")} is in use by another process.`,
  );
  upstreams.alpha.replies(200, chatAnswer());
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  expect((await first.chat(tenant.apiKey, { max_tokens: 5 })).status).toBe(200);
  await first.stop();
  const next = await tollgate.start({ journalRoot });
  expect((await next.chat(tenant.apiKey, { max_tokens: 5 })).status).toBe(200);
  await tollgate.settled(tenant, 2);
});

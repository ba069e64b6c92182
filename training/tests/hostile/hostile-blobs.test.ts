import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Exchange } from "../../conformance/play/exchange.ts";
import { readJson } from "../../conformance/play/match-answer.ts";
import { SDKS, Subject } from "../../conformance/play/subject.ts";
import type { RecordedRequest } from "../../conformance/recorded-case.ts";
import { type HostileBlob, makeHostileBlobs } from "./hostile-blobs.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-hostile-"));
const marker = join(folder, "code-has-run");
const blobs = makeHostileBlobs(marker);
/**
 * Statuses that count as a rejection. Other 4xx statuses don't count, because a participant that is busy or requires a
 * token has not read the body.
 */
const REFUSALS = [400, 413, 422];
const FRAMES = { "content-type": "application/vnd.tollgate.frames" };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the suite contains more than 150 different hostile blobs", () => {
  expect(new Set(blobs.map(({ bytes }) => bytes.toString("base64"))).size).toBeGreaterThan(150);
});

describe.each(SDKS)("the %s participant", (sdk) => {
  test("rejects every hostile blob with 4xx, executes no code from it, and stays alive", async () => {
    const subject = await Subject.start(sdk, { aggregator: "fedavg" });
    try {
      const taken: string[] = [];
      for (const blob of blobs) {
        for (const [way, request] of Object.entries(waysToSend(blob))) {
          const { status } = await new Exchange(subject.port, request).answer;
          if (!REFUSALS.includes(status)) taken.push(`${blob.name} ${way}: ${status}`);
        }
      }
      expect(taken).toEqual([]);
      expect(existsSync(marker)).toBe(false);
      expect(subject.isAlive).toBe(true);
      // After rejecting all blobs, the aggregator still works.
      const good = await new Exchange(subject.port, aggregate([GOOD, GOOD])).answer;
      expect(readJson(good.body)).toEqual({ parameters: GOOD });
      if (sdk === "python") expect(await readPickleImports(subject)).toEqual([]);
    } finally {
      await subject.stop();
    }
  });
});

/** A tensor of two ones in safetensors format. */
const GOOD = makeGoodParameters();

function makeGoodParameters(): string {
  const header = Buffer.from('{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  ');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.from(new Float32Array([1, 1]).buffer)]).toString("base64");
}

function waysToSend({ bytes }: HostileBlob): Record<string, RecordedRequest> {
  const base64 = bytes.toString("base64");
  const body = { base64 };
  return {
    "alone in a list": aggregate([base64]),
    "after good parameters": aggregate([GOOD, base64]),
    "before good parameters": aggregate([base64, GOOD]),
    "with its base64 cut": aggregate([GOOD, cutBase64(base64)]),
    "as a JSON body": { method: "POST", path: "/train", body },
    "as a frames body": { method: "POST", path: "/aggregate", body, headers: FRAMES },
  };
}

function aggregate(list: readonly string[]): RecordedRequest {
  return { method: "POST", path: "/aggregate", body: { json: { parameters_list: list } } };
}

/** Returns a string whose length is invalid for base64. */
function cutBase64(base64: string): string {
  const bare = base64.replaceAll("=", "");
  return bare.slice(0, bare.length - ((bare.length + 3) % 4));
}

/** Returns the pickle modules that the process has imported or tried to import since it started. */
async function readPickleImports(subject: Subject): Promise<unknown> {
  const body = { json: { config: { behavior: "imports" } } };
  const answer = await new Exchange(subject.port, { method: "POST", path: "/train", body }).answer;
  const { parameters } = readJson(answer.body) as { parameters: string };
  return JSON.parse(Buffer.from(parameters, "base64").toString("utf8"));
}

import { expect, test } from "vitest";
import { OutputMeter } from "../tokens/output-meter.ts";
import { findDeltaTexts } from "../wire/delta-texts.ts";
import type { CallAccount } from "./call-account.ts";
import { OutputOverrunGuard } from "./stream-output.ts";

const accountOf = (heldOutput: number, writesText = true) =>
  ({
    call: { kind: { writesText }, isStream: true },
    deployment: { facts: {} },
    heldOutput,
    openChoices: 0,
  }) as unknown as CallAccount;
const frame = (words: number) => `data: {"choices":[{"delta":{"content":"${"word ".repeat(words)}"}}]}\n\n`;

/** Returns the number of tokens in a stream when it is stopped, or null if it is never stopped. */
function saidWhenStopped(heldOutput: number, wordsPerFrame: number, frames: number): number | null {
  const limit = OutputOverrunGuard.of(accountOf(heldOutput)) as OutputOverrunGuard;
  const meter = new OutputMeter(findDeltaTexts);
  for (let index = 1; index <= frames; index += 1) {
    meter.add(frame(wordsPerFrame));
    if (limit.isPassedBy(meter)) return index * wordsPerFrame;
  }
  return null;
}

test("never stops a stream within its requested output, regardless of the chunk sizes", () => {
  for (const heldOutput of [1, 100, 4_096]) {
    for (const wordsPerFrame of [1, 10, heldOutput]) {
      expect(saidWhenStopped(heldOutput, wordsPerFrame, Math.ceil(heldOutput / wordsPerFrame))).toBeNull();
    }
  }
});

test("stops a stream that far exceeds its requested output", () => {
  for (const heldOutput of [1, 100, 4_096]) {
    for (const wordsPerFrame of [1, 100, 10_000]) {
      const said = saidWhenStopped(heldOutput, wordsPerFrame, 10_000_000) as number;
      expect(said).toBeGreaterThan(heldOutput);
      expect(said).toBeLessThan(heldOutput * 40 + 40_000);
    }
  }
});

test("sets no limit for an unbounded hold or for operations without text", () => {
  expect(OutputOverrunGuard.of(accountOf(Number.POSITIVE_INFINITY))).toBeNull();
  expect(OutputOverrunGuard.of(accountOf(10, false))).toBeNull();
});

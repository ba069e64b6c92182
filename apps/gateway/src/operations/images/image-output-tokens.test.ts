import { expect, test } from "vitest";
import { imageOutputTokens } from "./image-output-tokens.ts";

/** Output tokens of one image, from published prices per image and per token. */
const billed: readonly (readonly [model: string, quality: string | null, size: string | null, tokens: number])[] = [
  ["gpt-image-1", "low", "1024x1024", 272],
  ["gpt-image-1", "low", "1024x1536", 408],
  ["gpt-image-1", "medium", "1536x1024", 1_568],
  ["gpt-image-1", "high", "1024x1536", 6_240],
  ["gpt-image-1", null, null, 6_240],
  ["gpt-image-2", "low", "1024x1024", 200],
  ["gpt-image-2", "medium", "1024x1024", 1_767],
  ["gpt-image-2", "high", "1024x1024", 7_034],
  ["gpt-image-2", "auto", "auto", 7_034],
  ["gpt-image-2", "high", "2560x1440", 7_667],
  ["gpt-image-2", "low", "2048x2048", 400],
  ["gpt-image-2", "medium", "2048x2048", 3_567],
  ["gpt-image-2", "high", "2048x2048", 14_267],
  ["gpt-image-2", "high", "3840x2160", 13_667],
  ["gpt-image-2", "low", "2880x2880", 534],
  ["gpt-image-2", "medium", "2880x2880", 4_634],
  ["gpt-image-2", "high", "2880x2880", 18_834],
];

test.for(billed)(
  "an image of %s with the quality %s and the size %s has at most the held tokens",
  ([, quality, size, tokens]) => {
    const held = imageOutputTokens({ quality, size });
    expect(held).toBeGreaterThanOrEqual(tokens);
    // A hold that is much too high would refuse requests that the credit covers.
    expect(held).toBeLessThanOrEqual(tokens * 3);
  },
);

test("a size that can't be read is held like a large one", () => {
  const largest = imageOutputTokens({ quality: "high", size: "2880x2880" });
  for (const size of ["4k", "x", "99999999999x99999999999", "3840×2160"]) {
    expect(imageOutputTokens({ quality: "high", size }), size).toBe(largest);
  }
});

test("an unknown quality is held like the highest one", () => {
  const highest = imageOutputTokens({ quality: "high", size: "1024x1024" });
  for (const quality of ["ultra", "hd", "constructor", null, undefined]) {
    expect(imageOutputTokens({ quality, size: "1024x1024" }), String(quality)).toBe(highest);
  }
});

import { expect, test } from "vitest";
import { formatBytes } from "./format-bytes.ts";

test.each([
  [0, "0 bytes"],
  [20, "20 bytes"],
  [999, "999 bytes"],
  [1_000, "1 KB"],
  [44_700_000, "44.7 MB"],
  [2_000_000_000, "2 GB"],
])("formats %d bytes as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

import { parentPort } from "node:worker_threads";
import { countText } from "./count-text.ts";
import type { CountingResult, CountingTask } from "./counting-thread.ts";

parentPort?.on("message", ({ id, encoding, texts }: CountingTask) => {
  let tokens = 0;
  for (const text of texts) tokens += countText(text, encoding);
  parentPort?.postMessage({ id, tokens } satisfies CountingResult);
});

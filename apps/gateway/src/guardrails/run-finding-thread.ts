import { parentPort } from "node:worker_threads";
import { buildFinders } from "./build-detectors.ts";
import type { Detector } from "./detector.ts";
import { findSpans, maskSpans } from "./find-spans.ts";
import type { FindingResult, FindingTask } from "./finding-thread.ts";

/**
 * Compiled detectors by specification. Every task contains its specification, and compiling takes longer than most
 * checks.
 */
const known = new Map<string, readonly Detector[]>();
const MAX_KNOWN = 100;

parentPort?.on("message", ({ spec, texts, position }: FindingTask) => {
  const name = JSON.stringify(spec);
  const finders = known.get(name) ?? buildFinders(spec);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, finders);
  const spans = texts.map((text) => findSpans(finders, text, position) ?? []);
  const masked = texts.map((text, place) => maskSpans(text, spans[place] ?? []));
  parentPort?.postMessage({ spans, masked } satisfies FindingResult);
});

import type { piiEntities } from "@tollgate/runtime/settings/schema/guardrail-options.ts";
import { type Detector, keywordDetector, patternDetector } from "./detector.ts";
import { piiDetector } from "./pii-detector.ts";

/** Serializable specification of detectors, which can be sent to another thread. */
export interface DetectorSpec {
  readonly keywords: readonly string[];
  readonly entities: readonly (typeof piiEntities)[number][];
  readonly patterns: Readonly<Record<string, string>>;
}

/** Builds the detectors for a specification. The detectors for the operator's patterns come last. */
export function buildFinders({ keywords, entities, patterns }: DetectorSpec): readonly Detector[] {
  return [
    ...(keywords.length === 0 ? [] : [keywordDetector(keywords)]),
    ...entities.map(piiDetector),
    ...Object.entries(patterns).map(([name, source]) => patternDetector(name, source)),
  ];
}

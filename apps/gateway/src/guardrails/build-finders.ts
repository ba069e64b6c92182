import type { piiEntities } from "@tollgate/runtime/settings/schema/guardrail-options.ts";
import { type Detector, keywordDetector, patternDetector } from "./finder.ts";
import { piiDetector } from "./pii-finders.ts";

/** What is looked for, in words that can be told to another thread. */
export interface DetectorSpec {
  readonly keywords: readonly string[];
  readonly entities: readonly (typeof piiEntities)[number][];
  readonly patterns: Readonly<Record<string, string>>;
}

/** The finders of a specification, the operator's own last. */
export function buildFinders({ keywords, entities, patterns }: DetectorSpec): readonly Detector[] {
  return [
    ...(keywords.length === 0 ? [] : [keywordDetector(keywords)]),
    ...entities.map(piiDetector),
    ...Object.entries(patterns).map(([name, source]) => patternDetector(name, source)),
  ];
}

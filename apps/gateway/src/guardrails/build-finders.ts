import type { piiEntities } from "@tollgate/runtime/settings/schema/guardrail-options.ts";
import { type Finder, keywordFinder, patternFinder } from "./finder.ts";
import { piiFinder } from "./pii-finders.ts";

/** What is looked for, in words that can be told to another thread. */
export interface FinderSpec {
  readonly keywords: readonly string[];
  readonly entities: readonly (typeof piiEntities)[number][];
  readonly patterns: Readonly<Record<string, string>>;
}

/** The finders of a specification, the operator's own last. */
export function buildFinders({ keywords, entities, patterns }: FinderSpec): readonly Finder[] {
  return [
    ...(keywords.length === 0 ? [] : [keywordFinder(keywords)]),
    ...entities.map(piiFinder),
    ...Object.entries(patterns).map(([name, source]) => patternFinder(name, source)),
  ];
}

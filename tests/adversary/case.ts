import type { Random } from "../random.ts";
import type { Expectation } from "./books/judge-call.ts";
import type { CallLog, Cut, Surface } from "./client/send-call.ts";
import type { ModelName } from "./models.ts";
import type { AdversaryStage } from "./stage/stage.ts";
import type { Script } from "./upstream/script.ts";

/** One attack, the promise it tests, and the fix that keeps the promise. */
export interface Case {
  readonly name: string;
  readonly promise: string;
  /** Row in the README's defect table, or the rule that the case tests. */
  readonly guards: string;
  readonly isQuick: boolean;
  /** The case breaks something that other cases need, so it runs alone. */
  readonly isAlone?: boolean;
  run(context: CaseContext): Promise<CaseOutcome>;
}

export interface CaseOutcome {
  readonly calls: readonly ExpectedCall[];
  /** Violations other than wrong charges. */
  readonly problems?: readonly string[];
  readonly figures?: Readonly<Record<string, number>>;
  /** Reason that this machine cannot run the case. */
  readonly skipped?: string;
}

export interface ExpectedCall {
  readonly nonce: string;
  readonly expects: Expectation;
}

export interface Attack {
  readonly nonce: string;
  readonly tenant: { readonly apiKey: string };
  readonly model: ModelName;
  readonly surface?: Surface;
  readonly isStream?: boolean;
  /** Defaults to 8192; null means no limit. */
  readonly maxTokens?: number | null;
  /** One script per attempt. The last script also applies to any further attempts. */
  readonly scripts?: readonly Script[];
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cut?: Cut | null;
  /** Distinguishes calls with the same nonce. */
  readonly index?: number;
}

/** Tools that a case can use. */
export interface CaseContext {
  readonly stage: AdversaryStage;
  readonly random: Random;
  readonly isQuick: boolean;
  /** Returns a unique name for the next call, which the upstream finds in the prompt. */
  nonce(): string;
  /** Adds an organization, by default with ample credit. */
  addTenant(credit?: bigint): Promise<{ readonly apiKey: string; readonly organizationId: string }>;
  /** Makes one call after setting its script. */
  attack(attack: Attack): Promise<CallLog>;
}

/** Runs the items in batches of the given size. */
export async function inBatches<T, R>(list: readonly T[], size: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < list.length; start += size) {
    results.push(...(await Promise.all(list.slice(start, start + size).map(run))));
  }
  return results;
}

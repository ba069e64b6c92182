import type { GuardrailSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Transport } from "../call/provider.ts";
import type { FindingThread } from "./finding-thread.ts";
import { LengthCheck } from "./length-check.ts";
import { type Moderate, ModerationCheck } from "./moderation-check.ts";
import { PatternCheck } from "./pattern-check.ts";
import type { TextCheck } from "./text-check.ts";
import { WebhookCheck } from "./webhook-check.ts";

/** External dependencies of checks. */
export interface CheckTools {
  readonly thread: FindingThread;
  readonly moderate: Moderate;
  /** Opens connections to an origin from the settings. */
  readonly connect: (origin: string) => Transport;
}

/** Creates the check for a configured guardrail. */
export function createCheck(settings: GuardrailSettings, { thread, moderate, connect }: CheckTools): TextCheck {
  switch (settings.kind) {
    case "keyword_block": {
      const { keywords, action } = settings.options;
      return new PatternCheck({ keywords, entities: [], patterns: {} }, action === "mask", thread);
    }
    case "regex_pii": {
      const { entities, patterns, action } = settings.options;
      return new PatternCheck({ keywords: [], entities, patterns }, action === "mask", thread);
    }
    case "max_length":
      return new LengthCheck(settings.options.max_characters);
    case "moderation":
      return new ModerationCheck(settings.options.model, settings.options.categories, moderate);
    case "webhook": {
      const { url, api_key: apiKey, secret } = settings.options;
      const { origin, pathname, search } = new URL(url);
      return new WebhookCheck({ path: pathname + search, transport: connect(origin), apiKey, secret });
    }
  }
}

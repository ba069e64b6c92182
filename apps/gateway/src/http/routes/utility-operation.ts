import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Caller } from "../../call/caller.ts";
import type { Exchange } from "../../call/exchange.ts";
import { VERSION } from "../../call/version.ts";
import type { ModelLookup } from "../../models/model-lookup.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import type { CountingThread } from "../../tokens/counting-thread.ts";
import { createQueryReader } from "../api-query.ts";
import type { InferenceOperation } from "../route-table.ts";

/** Dependencies of operations that describe calls without making them. */
export interface UtilityContext {
  readonly steps: CallSteps;
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly counting: CountingThread;
  /**
   * Returns the mean number of output tokens in an organization's recent responses from a model group; null if there
   * are none.
   */
  readonly meanOutput: (organizationId: string, groupName: string) => Promise<number | null>;
}

/** Input of a utility operation. The caller has already been admitted. */
export interface UtilityInput<Query> {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly query: Query;
  /** Reads the body, which must be JSON. */
  readonly readBody: () => Buffer | Promise<Buffer>;
}

/** Shared description fields of all utility operations. */
export const utilityRules = {
  tag: "utilities",
  method: "POST",
  auth: "key",
  routeGroup: "information",
  billing: "free",
  timeoutMs: 30_000,
} as const;

const FIXED_LINES = `content-type: application/json\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\nx-gw-version: ${VERSION}\r\n`;
const ORIGIN_LINES = "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";

/**
 * Creates an operation that has a call's body but makes no call. The operation is handled like inference, because its
 * body must be read by the same rules as a call's body. `answer` returns JSON text.
 */
export function utilityOperation<Query>(
  { steps }: UtilityContext,
  description: OperationDescription,
  answer: (input: UtilityInput<Query>) => Promise<string>,
): InferenceOperation {
  const readQuery = createQueryReader(description.query);
  return {
    ...description,

    async handle(exchange) {
      const caller = await steps.authenticate(exchange);
      steps.admitCaller(caller, description);
      // The operation never waits in the queue. It is admitted immediately or refused.
      steps.enter(exchange, caller, "read");
      let text: string;
      try {
        const query = readQuery(searchOf(exchange.request.url as string)) as Query;
        const readBody = () => steps.readBody(exchange, description);
        text = await answer({ exchange, caller, query, readBody });
      } finally {
        steps.leave(exchange, caller);
      }
      if (exchange.isGone) return;
      const lines = `${FIXED_LINES}x-gw-call-id: ${exchange.callId}\r\n${exchange.headers.origin === null ? "" : ORIGIN_LINES}`;
      exchange.response.sendWhole(lines, Buffer.from(text, "utf8").toString("latin1"));
    },
  };
}

function searchOf(target: string): string {
  const question = target.indexOf("?");
  return question < 0 ? "" : target.slice(question);
}

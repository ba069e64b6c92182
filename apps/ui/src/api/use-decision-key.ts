import { useRef } from "react";
import { makeIdempotencyKey } from "./idempotency-key.ts";

interface DecisionKey {
  /** Returns the idempotency key of a decision, such as an amount. It changes only with the decision. */
  readonly keyFor: (decision: string) => string;
  /** Discards the decision after its success, so that the same decision can be made again. */
  readonly forget: () => void;
}

/** One idempotency key per decision, so that a second click or a retry after a failure doesn't move money twice. */
export function useDecisionKey(): DecisionKey {
  const last = useRef({ decision: "", key: "" });
  return {
    keyFor: (decision) => {
      if (last.current.decision !== decision) last.current = { decision, key: makeIdempotencyKey() };
      return last.current.key;
    },
    forget: () => {
      last.current = { decision: "", key: "" };
    },
  };
}

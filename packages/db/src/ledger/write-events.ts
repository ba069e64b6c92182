import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";

// JSON.stringify writes half a surrogate pair as an escape, and PostgreSQL has no text for it, nor for the zero character.
const UNTAKEABLE = /\\u(?:0000|d[89a-f])/;

/** Events as JSON text that PostgreSQL reads. Characters it cannot store are replaced: a client's label is no reason to lose a call. */
export function writeEvents(events: readonly UsageEvent[]): string {
  const writable = events.map(writeAmounts);
  const text = JSON.stringify(writable);
  return UNTAKEABLE.test(text) ? JSON.stringify(writable, makeTakeable) : text;
}

// Here and not in a replacer, which would be called for every value of every event and take longer than all the rest.
function writeAmounts(event: UsageEvent): unknown {
  const { cost, hold, fromLease, budgets } = event;
  return {
    ...event,
    cost: cost.toString(),
    hold: hold.toString(),
    fromLease: fromLease.toString(),
    budgets: budgets.map((budget) => ({ ...budget, fromLease: budget.fromLease.toString() })),
  };
}

function makeTakeable(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value;
}

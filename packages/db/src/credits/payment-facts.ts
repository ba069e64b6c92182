import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import type { StoredEvent } from "@tollgate/domain/billing/resolve-purchase.ts";

type Facts = Readonly<Record<string, string | null>>;

/** Encodes an event for storage, with amounts as strings because JSON numbers would lose precision. */
export function writeFacts({ id: _id, kind: _kind, at, ...facts }: PaymentEvent): string {
  return JSON.stringify({ ...facts, at: at.toISOString() }, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** Decodes a stored event. */
export function readFacts(row: {
  readonly id: string;
  readonly kind: string;
  readonly facts: unknown;
  readonly isForeign: boolean;
}): StoredEvent {
  const { at, ...facts } = row.facts as Facts;
  const members = Object.entries(facts).map(([name, value]) => [
    name,
    name.endsWith("Minor") && value !== null ? BigInt(value) : value,
  ]);
  return {
    ...Object.fromEntries(members),
    id: row.id,
    kind: row.kind,
    at: new Date(at as string),
    isForeign: row.isForeign,
  } as StoredEvent;
}

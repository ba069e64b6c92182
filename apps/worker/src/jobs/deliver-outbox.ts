import { listAdministratorAddresses, readBillingContact } from "@tollgate/db/outbox/find-contacts.ts";
import { type OutboxEvent, spreadEvents } from "@tollgate/db/outbox/spread-events.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { formatCents } from "@tollgate/domain/money.ts";
import type { JobContext } from "./job-context.ts";
import { enqueueMail } from "./mail/enqueue-mail.ts";

const BATCH = 100;

/** Creates the webhook deliveries and the emails for every pending event. */
export async function deliverOutbox(context: JobContext): Promise<void> {
  const tell = (transaction: TenantTransaction, event: OutboxEvent) => mailEvent(context, transaction, event);
  let taken: number;
  do {
    taken = await spreadEvents(context.db, { atMost: BATCH, now: context.now(), tell });
  } while (taken === BATCH);
}

async function mailEvent(context: JobContext, transaction: TenantTransaction, event: OutboxEvent): Promise<void> {
  if (event.type === "reconciliation.failed") {
    for (const to of await listAdministratorAddresses(transaction)) {
      await enqueueMail(context, transaction, { to, template: "reconciliation_failed", data: {} });
    }
  } else if (event.type === "balance.low" && event.organizationId !== null) {
    const contact = await readBillingContact(transaction, event.organizationId);
    if (contact === null) return;
    const { email: to, organizationName } = contact;
    const data = { organizationName, balance: toUsd(event.data.balance), threshold: toUsd(event.data.threshold) };
    await enqueueMail(context, transaction, { to, template: "low_balance", data });
  }
}

/** Formats an amount as decimal digits, which is the format of amounts in events. */
const toUsd = (digits: unknown): string => `${formatCents(BigInt(String(digits)))} USD`;

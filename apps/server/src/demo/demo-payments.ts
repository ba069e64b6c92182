import { createHash } from "node:crypto";
import type { SimulatedOutcome } from "@tollgate/contracts/management/purchase.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { applyPaymentEvent } from "@tollgate/db/credits/apply-payment-event.ts";
import { grantCredit } from "@tollgate/db/credits/grant-credit.ts";
import { openPurchase, type Purchase, storeCheckout } from "@tollgate/db/credits/purchases.ts";
import { runAsAdministrator, runInOrganization } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_CENT, NANO_PER_USD } from "@tollgate/domain/money.ts";
import type { BillingProvider } from "@tollgate/platform/credits/billing-provider.ts";
import type { DemoOwner } from "./demo-accounts.ts";
import type { DemoPayment } from "./demo-cast.ts";

const CHECKOUT_BASE_URL = "http://127.0.0.1";
const GRANT_LIMIT = 1_000n * NANO_PER_USD;

/** Buys, refunds, and grants the demo's credit through the simulated payment provider. */
export class DemoPayments {
  readonly #db: Database;
  readonly #owner: DemoOwner;
  readonly #billing: BillingProvider;
  #lastPaid: Purchase | null = null;

  constructor(db: Database, owner: DemoOwner, billing: BillingProvider) {
    this.#db = db;
    this.#owner = owner;
    this.#billing = billing;
  }

  async apply(payment: DemoPayment, now: Date): Promise<void> {
    if (payment.kind === "grant") return this.#grant(payment, now);
    if (payment.kind === "partial_refund") {
      if (this.#lastPaid === null) throw new Error("there is no purchase to refund");
      return this.#report(this.#lastPaid, "partially_refunded", now);
    }
    const purchase = await this.#order(payment.cents, now);
    await this.#report(purchase, payment.outcome, now);
    if (payment.outcome === "paid") this.#lastPaid = purchase;
  }

  async #grant({ cents, reason }: Extract<DemoPayment, { kind: "grant" }>, now: Date): Promise<void> {
    const { organizationId, userId, email } = this.#owner;
    const amount = BigInt(cents) * NANO_PER_CENT;
    await runAsAdministrator(
      this.#db,
      async (transaction) => {
        const granted = await grantCredit(transaction, {
          organizationId,
          administratorId: userId,
          amount,
          reason,
          expiresAt: null,
          idempotencyKey: `demo:${now.getTime()}`,
          dailyLimit: GRANT_LIMIT,
          now,
        });
        if (granted.kind !== "posted") throw new Error(`the grant was not posted: ${granted.kind}`);
        await writeAudit(transaction, {
          organizationId,
          actor: { type: "admin", id: userId, email },
          action: "credits.granted",
          target: { type: "organization", id: organizationId },
          after: { amount, reason, transactionId: granted.transactionId },
        });
      },
      userId,
    );
  }

  async #order(cents: number, now: Date): Promise<Purchase> {
    const { organizationId, userId, email } = this.#owner;
    const id = makePrefixedId("pur", now.getTime());
    const amount = BigInt(cents) * NANO_PER_CENT;
    return runInOrganization(
      this.#db,
      organizationId,
      async (transaction) => {
        const opened = await openPurchase(transaction, {
          id,
          organizationId,
          userId,
          idempotencyKey: id,
          bodyDigest: createHash("sha256").update(id).digest(),
          provider: this.#billing.name,
          amount,
          now,
        });
        if (opened.kind !== "opened") throw new Error(`the purchase was not opened: ${opened.kind}`);
        const url = `${CHECKOUT_BASE_URL}/ui/checkout/${id}`;
        const purchase = await storeCheckout(transaction, organizationId, id, { sessionId: `fake_session_${id}`, url });
        await writeAudit(transaction, {
          organizationId,
          actor: { type: "user", id: userId, email },
          action: "purchase.created",
          target: { type: "purchase", id },
          after: { amount, provider: purchase.provider },
        });
        return purchase;
      },
      userId,
    );
  }

  /** Lets the simulated provider report the outcome, as for a purchase in the console. */
  async #report(purchase: Purchase, outcome: SimulatedOutcome, now: Date): Promise<void> {
    const { simulator, name } = this.#billing;
    const { providerSessionId } = purchase;
    if (simulator === null || providerSessionId === null) throw new Error("payments are not simulated");
    const { body, headers } = simulator.deliver({ ...purchase, providerSessionId }, outcome);
    const reading = this.#billing.verifyWebhook(body, headers);
    if (reading.kind !== "event") throw new Error(`the simulated payment was not accepted: ${reading.kind}`);
    await applyPaymentEvent(this.#db, { ...reading.event, at: now }, { provider: name });
  }
}

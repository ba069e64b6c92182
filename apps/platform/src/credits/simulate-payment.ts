import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { Purchase as PurchaseSchema, SimulateBody } from "@tollgate/contracts/management/purchase.ts";
import { findPurchase, type Purchase } from "@tollgate/db/credits/purchases.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { operation, write } from "../operation.ts";
import { checkBuyer } from "./check-buyer.ts";
import { toPurchase } from "./read-purchases.ts";
import { takePayment } from "./take-payment.ts";

/** Simulates the payer: signs an event and processes it as if the provider had sent it. */
export const simulatePayment = operation({
  ...write,
  id: "simulatePayment",
  summary: "Set the outcome of a simulated payment",
  tag: "credits",
  path: "/api/credits/purchases/{id}/simulate",
  auth: "user",
  scope: "own",
  idempotency: "none",
  params: Type.Object({ id: PathId }),
  body: SimulateBody,
  answers: { 200: { description: "The updated purchase", schema: Type.Object({ purchase: PurchaseSchema }) } },
  handle: async ({ caller, params, body, origin }, services) => {
    const { billing } = services;
    if (billing === null || billing.simulator === null) {
      throw new Failure("UNKNOWN_PATH", "Unknown path. Payments are not simulated on this server.");
    }
    const organization = checkBuyer(caller);
    const find = () =>
      runInOrganization(services.db, organization.id, (transaction) =>
        findPurchase(transaction, organization.id, params.id),
      );
    const purchase = await find();
    if (purchase === null) throw unknownObject("purchase");
    const { providerSessionId } = purchase;
    if (providerSessionId === null) {
      throw new Failure("WRONG_STATE", "The purchase has no checkout yet. Retry the request that created it.");
    }
    const delivery = billing.simulator.deliver({ ...purchase, providerSessionId }, body.outcome);
    await takePayment(billing, delivery, origin, services);
    return { status: 200, body: { purchase: toPurchase((await find()) as Purchase) } };
  },
});

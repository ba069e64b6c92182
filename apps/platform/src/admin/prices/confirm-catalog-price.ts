import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { disputeDigest } from "@tollgate/catalog/settle-disputes.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { ConfirmPriceBody } from "@tollgate/contracts/management/catalog-prices.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { confirmPrice } from "@tollgate/db/catalog/editions.ts";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

/** Decides which amounts apply to a model whose prices are disputed, for new requests. */
export const confirmCatalogPrice = operation({
  ...write,
  id: "confirmCatalogPrice",
  summary: "Confirm a model's disputed catalog prices",
  tag: "admin",
  path: "/api/admin/prices/confirm",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  body: ConfirmPriceBody,
  answers: { 204: { description: "The price is confirmed" } },
  handle: async (input, transaction, { now }) => {
    const { model: id, choice } = input.body;
    const catalog = loadCatalog();
    const model = catalog.models().find((one) => one.id === id);
    if (model === undefined) throw new Failure("MODEL_NOT_FOUND", "Model not found in the catalog.");
    const digest = disputeDigest(model);
    if (digest === null) throw invalidField("model", "has no disputed price");
    const confirmedBy = `user:${input.caller.userId}`;
    await confirmPrice(transaction, { model: id, digest, choice, confirmedBy, confirmedAt: now() });
    await writeAudit(transaction, {
      organizationId: null,
      actor: administratorOf(input),
      action: "catalog.price_confirmed",
      target: { type: "catalog", id },
      after: { edition: catalog.version, choice, digest },
    });
    return { status: 204 };
  },
});

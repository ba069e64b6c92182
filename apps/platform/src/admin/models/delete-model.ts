import { Failure } from "@tollgate/contracts/failures.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { lockCatalogModel, updateCatalogModel } from "@tollgate/db/catalog/models.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

export const deleteModel = operation({
  ...write,
  method: "DELETE",
  id: "deleteModel",
  summary: "Disable a model; its record remains because usage refers to it",
  tag: "admin",
  path: "/api/admin/models/{id}",
  auth: "administrator",
  scope: "administrator",
  idempotency: "none",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "The model is disabled" } },
  handle: async (input, transaction, services) => {
    await withdrawModel(transaction, input.params.id, administratorOf(input), services.now());
    return { status: 204 };
  },
});

/** Disables a model and writes an audit log entry. Has no effect if the model is already disabled. */
export async function withdrawModel(
  transaction: TenantTransaction,
  id: string,
  actor: AuditActor,
  now: Date,
): Promise<void> {
  const before = await lockCatalogModel(transaction, id);
  if (before === null) throw new Failure("MODEL_NOT_FOUND", "Model not found.");
  if (before.status === "disabled") return;
  await updateCatalogModel(transaction, before.id, { status: "disabled", updated_at: now });
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: "model.disabled",
    target: { type: "model", id: before.id },
    before: { status: before.status },
    after: { status: "disabled" },
  });
}

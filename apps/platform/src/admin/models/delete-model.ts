import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { lockCatalogueModel, updateCatalogueModel } from "@tollgate/db/catalogue/models.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

export const deleteModel = operation({
  ...write,
  method: "DELETE",
  id: "deleteModel",
  summary: "Stop offering a model; its record stays, because usage names it",
  tag: "admin",
  path: "/api/admin/models/{id}",
  auth: "administrator",
  scope: "administrator",
  idempotency: "none",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "It is disabled" } },
  handle: async (input, transaction, services) => {
    const before = await lockCatalogueModel(transaction, input.params.id);
    if (before === null) throw new ManagementFailure("MODEL_NOT_FOUND", "There is no such model.");
    if (before.status === "disabled") return { status: 204 };
    await updateCatalogueModel(transaction, before.id, { status: "disabled", updated_at: services.now() });
    await writeAudit(transaction, {
      organizationId: null,
      actor: administratorOf(input),
      action: "model.disabled",
      target: { type: "model", id: before.id },
      before: { status: before.status },
      after: { status: "disabled" },
    });
    return { status: 204 };
  },
});

import { Failure } from "@tollgate/contracts/failures.ts";
import { CopyDeploymentBody } from "@tollgate/contracts/management/deployment.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { AdminModel, type CreateModelBody } from "@tollgate/contracts/management/model.ts";
import { listCatalogProviders } from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { offerModel } from "../admin/models/create-model.ts";
import { administratorOf } from "../audit-actor.ts";
import { describeForAdministrator } from "../catalog/describe-model.ts";
import { modelTypeOf } from "../catalog/model-type-of.ts";
import { operation, write } from "../operation.ts";
import type { ServedDeployment } from "./deployment-source.ts";
import { readStoredModels } from "./read-stored-models.ts";

/**
 * Copies a deployment from a settings file into the database, where it can be edited. The settings file stays
 * unchanged.
 */
export const copyDeployment = operation({
  ...write,
  id: "copyDeployment",
  summary: "Copy a deployment from a settings file into the database",
  tag: "admin",
  path: "/api/admin/deployments/{id}/copy",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  body: CopyDeploymentBody,
  answers: { 201: { description: "The model", schema: Type.Object({ model: AdminModel }) } },
  handle: async (input, transaction, services) => {
    const listed = services.deployments.list(await readStoredModels(transaction), new Map());
    const found = listed.find(({ id }) => id === input.params.id);
    if (found === undefined) throw unknownObject("deployment");
    if (found.source.kind === "database") {
      throw new Failure("WRONG_STATE", "This deployment is already in the database. Update its model instead.");
    }
    if (found.isPattern) {
      throw new Failure(
        "WRONG_STATE",
        "A deployment with a wildcard name cannot be copied because it stands for many models.",
      );
    }
    const provider = input.body.provider ?? (await findOnlyProvider(transaction, found.providerKind));
    const body: CreateModelBody = {
      provider,
      inferenceModelId: found.model,
      id: input.body.id ?? `${found.group.replaceAll(/[^A-Za-z0-9._:@+/-]+/g, "-")}-copy`,
      type: modelTypeOf(found.mode),
      params: paramsOf(found),
    };
    const model = await offerModel(transaction, body, administratorOf(input), services);
    return { status: 201, body: { model: describeForAdministrator(model) } };
  },
});

/** Finds the only stored provider of the given kind. Credentials aren't copied, so the provider must already exist. */
async function findOnlyProvider(transaction: TenantTransaction, kind: string): Promise<string> {
  const fitting = (await listCatalogProviders(transaction)).filter((provider) => provider.kind === kind);
  const [only, other] = fitting;
  if (only === undefined) {
    const message = `The database has no provider of kind '${kind}'. Create one with its credential first.`;
    throw new Failure("WRONG_STATE", message, { publicDetails: { missing: "provider", kind } });
  }
  if (other !== undefined) {
    const slugs = fitting.map(({ slug }) => slug);
    throw invalidField("provider", `is required because ${slugs.join(", ")} are all of kind '${kind}'`);
  }
  return only.id;
}

function paramsOf({ rpm, tpm, params }: ServedDeployment): NonNullable<CreateModelBody["params"]> {
  const { timeout, stream_timeout: streamTimeout, drop_params: dropParams } = params;
  return {
    ...(rpm !== null && rpm > 0 && { rpm }),
    ...(tpm !== null && tpm > 0 && { tpm }),
    ...(typeof timeout === "number" && timeout >= 1 && { timeoutSeconds: timeout }),
    ...(typeof streamTimeout === "number" && streamTimeout >= 1 && { streamTimeoutSeconds: streamTimeout }),
    ...(typeof dropParams === "boolean" && { dropParams }),
  };
}

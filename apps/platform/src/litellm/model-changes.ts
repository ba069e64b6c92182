import { changeFailures, managementRules } from "@tollgate/contracts/administration/management-rules.ts";
import {
  DeletedModel,
  DeleteModelRequest,
  NewModelRequest,
  StoredModel,
  UpdateModelRequest,
} from "@tollgate/contracts/administration/model-management.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { checkBaseUrl } from "../admin/providers/provider-fields.ts";
import { answerJson, type LitellmContext, type LitellmOperation, runFor } from "./litellm-operation.ts";
import {
  updateModel as changeModel,
  createModel,
  type ModelState,
  deleteModel as removeModel,
} from "./manage-models.ts";
import { type ModelPatch, readModelPatch } from "./model-patch.ts";
import { invalid, refuseUnknown } from "./read-fields.ts";
import { asFailure, requireAdministrator } from "./run-as-key-creator.ts";

const change = { ...managementRules, method: "POST" } as const;
const answers = {
  200: { description: "The stored model, without its API key.", schema: StoredModel },
  ...changeFailures,
};

/** Creates a model. Every gateway serves it within seconds. */
export const newModel: LitellmOperation<unknown, NewModelRequest> = {
  ...change,
  id: "createModel",
  summary: "Create a model in the database (administrators only)",
  paths: ["/model/new"],
  body: NewModelRequest,
  answers,

  async handle(input, context) {
    if (typeof input.body.model_info?.id === "string") {
      throw invalid("model_info.id", "is generated from the model name. Omit it.");
    }
    const patch = readModelPatch(input.body);
    const { models } = context.services;
    await checkFirst(input, context, patch);
    return answerModel(await runFor(input, context, (acting) => createModel(acting, patch, models)));
  },
};

/** Updates only the fields in the body. */
export const updateModel: LitellmOperation<unknown, UpdateModelRequest> = {
  ...change,
  id: "updateModel",
  summary: "Update a model in the database (administrators only)",
  paths: ["/model/update"],
  body: UpdateModelRequest,
  answers,

  async handle(input, context) {
    const { id } = input.body.model_info;
    if (typeof id !== "string") throw invalid("model_info.id", "is required to identify the deployment.");
    refuseFromFile(context, id);
    const patch = readModelPatch(input.body);
    const { models } = context.services;
    await checkFirst(input, context, patch);
    return answerModel(await runFor(input, context, (acting) => changeModel(acting, id, patch, models)));
  },
};

/** Deletes a model. */
export const deleteModel: LitellmOperation<unknown, DeleteModelRequest> = {
  ...change,
  id: "deleteModel",
  summary: "Delete a model from the database (administrators only)",
  paths: ["/model/delete"],
  body: DeleteModelRequest,
  answers: { 200: { description: "The model was deleted.", schema: DeletedModel }, ...changeFailures },

  async handle(input, context) {
    const { id } = input.body;
    refuseUnknown(input.body, DeleteModelRequest.properties);
    refuseFromFile(context, id);
    await runFor(input, context, (acting) => removeModel(acting, id));
    return answerJson({ message: `Model: ${id} deleted successfully` });
  },
};

/**
 * Checks the caller and the base URL before the change takes any lock, because host names are resolved over the
 * network.
 */
async function checkFirst(
  input: Parameters<typeof runFor>[0],
  context: LitellmContext,
  { apiBase }: ModelPatch,
): Promise<void> {
  await runFor(input, context, async (acting) => requireAdministrator(acting));
  try {
    await checkBaseUrl({ ...(apiBase !== undefined && { baseUrl: apiBase }) }, context.services.models);
  } catch (error) {
    throw asFailure(error);
  }
}

/** Throws for a model from a settings file, which must be changed in that file. */
function refuseFromFile(context: LitellmContext, id: string): void {
  const deployment = context.current().models.list.groups.byId.get(id);
  if (deployment === undefined || deployment.isFromDatabase) return;
  throw new Failure("invalid_request", "This deployment is defined in a settings file. Change it there and reload.", {
    param: "id",
  });
}

function answerModel({ id, groupName, model, apiBase, type, createdAt, updatedAt }: ModelState) {
  return answerJson({
    model_id: id,
    model_name: groupName,
    litellm_params: { model, ...(apiBase !== null && { api_base: apiBase }) },
    model_info: { id, db_model: true, mode: modesByType[type] },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  });
}

const modesByType: Readonly<Record<ModelState["type"], string>> = {
  chat: "chat",
  completion: "completion",
  embedding: "embedding",
  image: "image_generation",
  speech: "audio_speech",
  transcription: "audio_transcription",
  moderation: "moderation",
  rerank: "rerank",
};

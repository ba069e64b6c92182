import {
  DeletedModel,
  DeleteModelRequest,
  NewModelRequest,
  StoredModel,
  UpdateModelRequest,
} from "@tollgate/contracts/administration/model-management.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ApiContext } from "../edge/api-context.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import type { ModelState } from "./management.ts";
import { changeFailures, managementOf, managementRules, managerOf } from "./management-rules.ts";
import { readModelPatch } from "./model-patch.ts";
import { invalid, refuseUnknown } from "./read-fields.ts";

const change = { ...managementRules, method: "POST" } as const;
const answers = {
  200: { description: "The stored model, without its API key.", schema: StoredModel },
  ...changeFailures,
};

/** Creates a model. Every gateway serves it within seconds. */
export const newModel: KeyedOperation<unknown, NewModelRequest> = {
  ...change,
  id: "createModel",
  summary: "Create a model in the database (administrators only)",
  paths: ["/model/new"],
  body: NewModelRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    if (typeof body.model_info?.id === "string") {
      throw invalid("model_info.id", "is generated from the model name. Omit it.");
    }
    return answerModel(await managementOf(context).createModel(managerOf(caller, callId), readModelPatch(body)));
  },
};

/** Updates only the fields in the body. */
export const updateModel: KeyedOperation<unknown, UpdateModelRequest> = {
  ...change,
  id: "updateModel",
  summary: "Update a model in the database (administrators only)",
  paths: ["/model/update"],
  body: UpdateModelRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    const { id } = body.model_info;
    if (typeof id !== "string") throw invalid("model_info.id", "is required to identify the deployment.");
    refuseFromFile(context, id);
    return answerModel(await managementOf(context).updateModel(managerOf(caller, callId), id, readModelPatch(body)));
  },
};

/** Deletes a model. */
export const deleteModel: KeyedOperation<unknown, DeleteModelRequest> = {
  ...change,
  id: "deleteModel",
  summary: "Delete a model from the database (administrators only)",
  paths: ["/model/delete"],
  body: DeleteModelRequest,
  answers: { 200: { description: "The model was deleted.", schema: DeletedModel }, ...changeFailures },

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, DeleteModelRequest.properties);
    refuseFromFile(context, body.id);
    await managementOf(context).deleteModel(managerOf(caller, callId), body.id);
    return answerJson({ message: `Model: ${body.id} deleted successfully` });
  },
};

/** Throws for a model from a settings file, which must be changed in that file. */
function refuseFromFile(context: ApiContext, id: string): void {
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

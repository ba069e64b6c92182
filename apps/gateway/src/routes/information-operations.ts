import type { PageOperation } from "../edge/rest-operation.ts";
import { apiReference, apiReferenceAsset, docs } from "./api-reference.ts";
import { liveness, readiness, startup } from "./health.ts";
import { healthDetails } from "./health-details.ts";
import { listModels } from "./list-models.ts";
import { modelGroupInfo } from "./model-group-info.ts";
import { modelInfo } from "./model-info.ts";
import { openApi } from "./openapi.ts";
import { retrieveModel } from "./retrieve-model.ts";
import { root } from "./root.ts";

/** Every operation that is not inference, in the order the reference shows them. */
export function informationOperations(): readonly PageOperation[] {
  return [
    listModels,
    retrieveModel,
    modelInfo,
    modelGroupInfo,
    liveness,
    readiness,
    startup,
    healthDetails,
    root,
    openApi,
    docs,
    apiReference,
    apiReferenceAsset,
  ];
}

import { assistantOperations } from "../assistants/assistant-operations.ts";
import { deleteCached, flushCache, pingCache } from "../cache/cache-operations.ts";
import type { PageOperation } from "../edge/api-operation.ts";
import { applyGuardrail, listGuardrails } from "../guardrails/guardrail-operations.ts";
import { managementOperations } from "../management/management-operations.ts";
import { responseOperations } from "../responses/response-operations.ts";
import { apiReference, apiReferenceAsset, docs } from "./api-reference.ts";
import { drain } from "./drain.ts";
import { liveness, readiness, startup } from "./health.ts";
import { healthDetails } from "./health-details.ts";
import { listModels } from "./list-models.ts";
import { bookMetrics, metrics } from "./metrics.ts";
import { modelGroupInfo } from "./model-group-info.ts";
import { modelInfo } from "./model-info.ts";
import { openApi } from "./openapi.ts";
import { probeHealth } from "./probe-health.ts";
import { retrieveModel } from "./retrieve-model.ts";
import { root } from "./root.ts";
import { supportedParams } from "./supported-params.ts";

/** Returns every operation other than inference, in the order of the API reference. */
export function informationOperations(): readonly PageOperation[] {
  return [
    listModels,
    retrieveModel,
    modelInfo,
    modelGroupInfo,
    supportedParams,
    ...assistantOperations(),
    ...managementOperations(),
    listGuardrails,
    applyGuardrail,
    pingCache,
    deleteCached,
    flushCache,
    ...responseOperations(),
    liveness,
    readiness,
    startup,
    drain,
    healthDetails,
    probeHealth,
    metrics,
    bookMetrics,
    root,
    openApi,
    docs,
    apiReference,
    apiReferenceAsset,
  ];
}

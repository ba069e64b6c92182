import type { PageOperation } from "../api-operation.ts";
import { assistantOperations } from "../assistants/assistant-operations.ts";
import { responseOperations } from "../responses/response-operations.ts";
import { apiReference, apiReferenceAsset, docs } from "./api-reference.ts";
import { deleteCached, flushCache, pingCache } from "./cache-operations.ts";
import { drain } from "./drain.ts";
import { applyGuardrail, listGuardrails } from "./guardrail-operations.ts";
import { liveness, readiness, startup } from "./health.ts";
import { healthDetails } from "./health-details.ts";
import { listModels } from "./list-models.ts";
import { bookMetrics, metrics } from "./metrics.ts";
import { modelGroupInfo } from "./model-group-info.ts";
import { modelInfo } from "./model-info.ts";
import { modelPage } from "./model-page.ts";
import { openApi } from "./openapi.ts";
import { probeHealth } from "./probe-health.ts";
import { retrieveModel } from "./retrieve-model.ts";
import { root } from "./root.ts";
import { supportedParams } from "./supported-params.ts";

/**
 * Returns every operation other than inference, in the order of the API reference. The operations on keys, teams, spend,
 * and models belong to another app.
 */
export function informationOperations(managementOperations: readonly PageOperation[]): readonly PageOperation[] {
  return [
    listModels,
    retrieveModel,
    modelInfo,
    modelGroupInfo,
    supportedParams,
    ...assistantOperations(),
    ...managementOperations,
    modelPage,
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

import { listHubModels } from "../hub/list-hub-models.ts";
import type { ManagementOperation } from "../operation.ts";
import { getModel } from "./get-model.ts";
import { listModels } from "./list-models.ts";
import { listProviders } from "./list-providers.ts";

export const catalogOperations: readonly ManagementOperation[] = [listModels, getModel, listProviders, listHubModels];

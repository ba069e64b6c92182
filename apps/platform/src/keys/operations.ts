import type { ManagementOperation } from "../operation.ts";
import { createApiKey } from "./create-api-key.ts";
import { getApiKey, listApiKeys } from "./read-keys.ts";
import { removeApiKey } from "./remove-api-key.ts";
import { rotateApiKey } from "./rotate-api-key.ts";
import { updateApiKey } from "./update-api-key.ts";

export const keyOperations: readonly ManagementOperation[] = [
  listApiKeys,
  getApiKey,
  createApiKey,
  updateApiKey,
  removeApiKey,
  rotateApiKey,
];

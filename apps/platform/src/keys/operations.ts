import type { ManagementOperation } from "../operation.ts";
import { createApiKey } from "./create-key.ts";
import { getApiKey, listApiKeys } from "./read-keys.ts";
import { removeApiKey } from "./remove-key.ts";
import { rotateApiKey } from "./rotate-key.ts";
import { updateApiKey } from "./update-key.ts";

export const keyOperations: readonly ManagementOperation[] = [
  listApiKeys,
  getApiKey,
  createApiKey,
  updateApiKey,
  removeApiKey,
  rotateApiKey,
];

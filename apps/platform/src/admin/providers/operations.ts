import type { ManagementOperation } from "../../operation.ts";
import { createProvider } from "./create-provider.ts";
import { deleteProvider } from "./delete-provider.ts";
import { getAdminProvider, listAdminProviders } from "./read-providers.ts";
import { updateProvider } from "./update-provider.ts";

export const adminProviderOperations: readonly ManagementOperation[] = [
  listAdminProviders,
  getAdminProvider,
  createProvider,
  updateProvider,
  deleteProvider,
];

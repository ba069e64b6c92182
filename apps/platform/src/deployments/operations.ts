import type { ManagementOperation } from "../operation.ts";
import { copyDeployment } from "./copy-deployment.ts";
import { listDeployments } from "./list-deployments.ts";
import { listKnownModels } from "./list-known-models.ts";
import { testDeployment } from "./test-deployment.ts";

export const deploymentOperations: readonly ManagementOperation[] = [
  listDeployments,
  listKnownModels,
  testDeployment,
  copyDeployment,
];

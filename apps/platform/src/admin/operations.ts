import type { ManagementOperation } from "../operation.ts";
import { listAllAudit } from "./audit/list-all-audit.ts";
import { moveCredits } from "./credits/move-credits.ts";
import { adminModelOperations } from "./models/operations.ts";
import { getOrganizationOperation, listOrganizationsOperation } from "./organizations/read-organizations.ts";
import { adminProviderOperations } from "./providers/operations.ts";
import { reconciliationOperations } from "./reconciliation/operations.ts";
import { blockTeamOperation, unblockTeamOperation } from "./teams/block-team.ts";
import { adminUserOperations } from "./users/operations.ts";

export const adminOperations: readonly ManagementOperation[] = [
  ...adminUserOperations,
  listOrganizationsOperation,
  getOrganizationOperation,
  blockTeamOperation,
  unblockTeamOperation,
  listAllAudit,
  ...adminModelOperations,
  ...adminProviderOperations,
  moveCredits,
  ...reconciliationOperations,
];

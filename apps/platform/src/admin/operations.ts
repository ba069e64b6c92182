import type { ManagementOperation } from "../operation.ts";
import { listAdminAuditLog } from "./audit/list-admin-audit-log.ts";
import { createCreditTransaction } from "./credits/create-credit-transaction.ts";
import { getMargins } from "./margins/get-margins.ts";
import { getLedgerMetrics } from "./metrics/get-ledger-metrics.ts";
import { adminModelOperations } from "./models/operations.ts";
import { getOrganizationPrices, updateOrganizationPrices } from "./organizations/price-list.ts";
import { getAdminOrganization, listAdminOrganizations } from "./organizations/read-organizations.ts";
import { getOrganizationActivity } from "./organizations/view-organization.ts";
import { adminPriceOperations } from "./prices/operations.ts";
import { adminProviderOperations } from "./providers/operations.ts";
import { reconciliationOperations } from "./reconciliation/operations.ts";
import { blockTeamOperation, unblockTeamOperation } from "./teams/block-team.ts";
import { adminUserOperations } from "./users/operations.ts";

export const adminOperations: readonly ManagementOperation[] = [
  ...adminUserOperations,
  listAdminOrganizations,
  getAdminOrganization,
  getOrganizationActivity,
  getOrganizationPrices,
  updateOrganizationPrices,
  getMargins,
  blockTeamOperation,
  unblockTeamOperation,
  listAdminAuditLog,
  ...adminModelOperations,
  ...adminProviderOperations,
  ...adminPriceOperations,
  createCreditTransaction,
  ...reconciliationOperations,
  getLedgerMetrics,
];

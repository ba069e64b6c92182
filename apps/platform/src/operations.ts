import { adminOperations } from "./admin/operations.ts";
import { auditOperations } from "./audit/operations.ts";
import { catalogueOperations } from "./catalogue/operations.ts";
import { creditOperations } from "./credits/operations.ts";
import { identityOperations } from "./identity/operations.ts";
import { invitationOperations } from "./invitations/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { messageOperations } from "./messages/operations.ts";
import type { ManagementOperation } from "./operation.ts";
import { organizationOperations } from "./organizations/operations.ts";
import { systemOperations } from "./system/operations.ts";
import { teamOperations } from "./teams/operations.ts";
import { usageOperations } from "./usage/operations.ts";
import { webhookOperations } from "./webhooks/operations.ts";

/** Every operation of the management interface. */
export function managementOperations(): readonly ManagementOperation[] {
  return [
    ...identityOperations,
    ...organizationOperations,
    ...teamOperations,
    ...invitationOperations,
    ...keyOperations,
    ...auditOperations,
    ...catalogueOperations,
    ...creditOperations,
    ...usageOperations,
    ...messageOperations,
    ...webhookOperations,
    ...adminOperations,
    ...systemOperations(managementOperations),
  ];
}

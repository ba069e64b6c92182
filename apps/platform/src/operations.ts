import { adminOperations } from "./admin/operations.ts";
import { getAssistantUsage } from "./assistants/get-assistant-usage.ts";
import { auditOperations } from "./audit/operations.ts";
import { catalogOperations } from "./catalog/operations.ts";
import { creditOperations } from "./credits/operations.ts";
import { deploymentOperations } from "./deployments/operations.ts";
import { getDeploymentHealth } from "./health/get-deployment-health.ts";
import { identityOperations } from "./identity/operations.ts";
import { invitationOperations } from "./invitations/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { messageOperations } from "./messages/operations.ts";
import { onboardingOperations } from "./onboarding/operations.ts";
import type { ManagementOperation } from "./operation.ts";
import { organizationOperations } from "./organizations/operations.ts";
import { pairingOperations } from "./pairings/operations.ts";
import { performanceOperations } from "./performance/operations.ts";
import { preferenceOperations } from "./preferences/operations.ts";
import { relayOperations } from "./relay/operations.ts";
import { routingOperations } from "./routing/operations.ts";
import { getAdminSettings } from "./settings-view/get-admin-settings.ts";
import { systemOperations } from "./system/operations.ts";
import { teamOperations } from "./teams/operations.ts";
import { trainingOperations } from "./training/operations.ts";
import { usageOperations } from "./usage/operations.ts";
import { webhookOperations } from "./webhooks/operations.ts";

/** Returns all operations of the management API. */
export function managementOperations(): readonly ManagementOperation[] {
  return [
    ...identityOperations,
    ...pairingOperations,
    ...preferenceOperations,
    ...organizationOperations,
    ...onboardingOperations,
    ...teamOperations,
    ...invitationOperations,
    ...keyOperations,
    getAssistantUsage,
    ...auditOperations,
    ...catalogOperations,
    ...creditOperations,
    ...usageOperations,
    ...performanceOperations,
    ...messageOperations,
    ...relayOperations,
    ...webhookOperations,
    ...adminOperations,
    ...deploymentOperations,
    ...routingOperations,
    getAdminSettings,
    getDeploymentHealth,
    ...trainingOperations,
    ...systemOperations(managementOperations),
  ];
}

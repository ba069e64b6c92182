/** Invitation field names. */
export const invitationFields = [
  "id",
  "email",
  "role",
  "scope",
  "organizationId",
  "organizationName",
  "teamId",
  "teamName",
  "invitedBy",
  "status",
  "expiresAt",
  "createdAt",
] as const;

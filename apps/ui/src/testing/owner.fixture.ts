import type { Answers } from "./answer-api.fixture.ts";

const LONG_AGO = "2026-01-01T00:00:00.000Z";

/** Answers for a signed-in owner of one organization. Days start at midnight in this zone. */
export function signedInOwner({ timezone = "UTC" }: { readonly timezone?: string } = {}): Answers {
  return {
    getMe: {
      user: { id: 1, email: "ada@example.com", name: "Ada", role: "admin" },
      activeOrganizationId: "org_1",
      session: { id: "ses_1", expiresAt: LONG_AGO },
    },
    listOrganizations: {
      data: [
        {
          id: "org_1",
          name: "Analytical Engines",
          role: "owner",
          ownerId: 1,
          billingEmail: null,
          personal: false,
          active: true,
          teamCount: 1,
          memberCount: 1,
          settings: { lowBalanceThreshold: null, logPrompts: false, logRetentionDays: 30, timezone, usd: {} },
          createdAt: LONG_AGO,
          updatedAt: LONG_AGO,
        },
      ],
      meta: { page: 1, pageSize: 100, total: 1, totalPages: 1 },
    },
  };
}

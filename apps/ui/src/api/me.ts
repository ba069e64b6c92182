import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "./queries.ts";

export type Organization = Operations["listOrganizations"]["answer"]["data"][number];

/** Returns the signed-in user and their active organization. The shell loads both before it renders any page. */
export function useMe() {
  const me = useCall("getMe", {}, { staleMs: 60_000 });
  const organizations = useCall("listOrganizations", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const activeId = me.data?.activeOrganizationId ?? null;
  const organization = organizations.data?.data.find(({ id }) => id === activeId) ?? null;
  return {
    user: me.data?.user ?? null,
    organization,
    organizations: organizations.data?.data ?? [],
    isAdministrator: me.data?.user.role === "admin",
    /** True if the user can change organization-wide settings. */
    leads: organization?.role === "owner" || organization?.role === "admin",
  };
}

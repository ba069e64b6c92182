import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "./queries.ts";

export type Organization = Operations["listOrganizations"]["answer"]["data"][number];

/** Who is signed in, and the organization they act in. The shell has loaded both before any page is drawn. */
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
    /** Whether the person may change things of the whole organization. */
    leads: organization?.role === "owner" || organization?.role === "admin",
  };
}

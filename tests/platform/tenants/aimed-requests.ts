import type { TenantObjects } from "./furnish.ts";

/** A well-formed request that names one object, and how the platform answers it. */
interface AimedRequest {
  readonly id: string;
  readonly method: string;
  /** Returns the path and the body for the object of one tenant. */
  readonly aim: (objects: TenantObjects) => { readonly path: string; readonly body?: object };
  /** Status for the owner of the object, which shows that the request is well formed. */
  readonly own: number;
}

const EMAIL = "aimed@example.org";

/**
 * Requests on objects of every kind. A foreign object must be 404, not any refusal: a request that is rejected for its
 * form never reaches the check that this test is about. Requests that remove something come last.
 */
export const aimedRequests: readonly AimedRequest[] = [
  { id: "getApiKey", method: "GET", aim: ({ key }) => ({ path: `/api/api-keys/${key}` }), own: 200 },
  { id: "getTeam", method: "GET", aim: ({ team }) => ({ path: `/api/gw/teams/${team}` }), own: 200 },
  { id: "getLog", method: "GET", aim: ({ call }) => ({ path: `/api/gw/logs/${call}` }), own: 200 },
  {
    id: "getPurchase",
    method: "GET",
    aim: ({ purchase }) => ({ path: `/api/credits/purchases/${purchase}` }),
    own: 200,
  },
  {
    id: "listOrganizationMembers",
    method: "GET",
    aim: ({ organization }) => ({ path: `/api/gw/organizations/${organization}/members` }),
    own: 200,
  },
  {
    id: "listOrganizationInvitations",
    method: "GET",
    aim: ({ organization }) => ({ path: `/api/gw/organizations/${organization}/invitations` }),
    own: 200,
  },
  {
    id: "exportOrganization",
    method: "GET",
    aim: ({ organization }) => ({ path: `/api/gw/organizations/${organization}/export` }),
    own: 200,
  },
  {
    id: "updateActiveOrganization",
    method: "PUT",
    aim: ({ organization }) => ({ path: "/api/auth/active-organization", body: { organizationId: organization } }),
    own: 200,
  },
  {
    id: "updateOrganization",
    method: "PUT",
    aim: ({ organization }) => ({
      path: "/api/gw/organizations",
      body: { organizationId: organization, name: "Renamed" },
    }),
    own: 200,
  },
  {
    id: "updateTeam",
    method: "PUT",
    aim: ({ team }) => ({ path: `/api/gw/teams/${team}`, body: { name: "Renamed" } }),
    own: 200,
  },
  {
    id: "createApiKey",
    method: "POST",
    aim: ({ team }) => ({ path: "/api/gw/api-keys", body: { name: "aimed", team_id: team } }),
    own: 201,
  },
  {
    id: "inviteOrganizationMember",
    method: "POST",
    aim: ({ organization }) => ({
      path: `/api/gw/organizations/${organization}/invite-member`,
      body: { email: EMAIL },
    }),
    own: 202,
  },
  {
    id: "inviteTeamMember",
    method: "POST",
    aim: ({ team }) => ({ path: "/api/gw/teams/invite-member", body: { teamId: team, email: EMAIL } }),
    own: 202,
  },
  {
    id: "updateOrganizationMember",
    method: "POST",
    aim: ({ organization, member }) => ({
      path: `/api/gw/organizations/${organization}/update-member`,
      body: { memberId: member, role: "admin" },
    }),
    own: 200,
  },
  {
    id: "updateTeamMember",
    method: "POST",
    aim: ({ team, member }) => ({
      path: "/api/gw/teams/update-member",
      body: { teamId: team, memberId: member, role: "admin" },
    }),
    own: 200,
  },
  {
    id: "updateApiKey",
    method: "POST",
    aim: ({ key }) => ({ path: "/api/api-keys/update", body: { token: key, name: "Renamed" } }),
    own: 200,
  },
  {
    id: "rotateApiKey",
    method: "POST",
    aim: ({ key }) => ({ path: "/api/api-keys/rotate", body: { apiKey: key } }),
    own: 200,
  },
  {
    id: "removeApiKey",
    method: "POST",
    aim: ({ key }) => ({ path: "/api/api-keys/remove", body: { apiKey: key } }),
    own: 200,
  },
  { id: "deleteWebhook", method: "DELETE", aim: ({ webhook }) => ({ path: `/api/webhooks/${webhook}` }), own: 204 },
  {
    id: "deleteInvitation",
    method: "DELETE",
    aim: ({ invitation }) => ({ path: `/api/invitations/${invitation}` }),
    own: 204,
  },
  {
    id: "removeTeamMember",
    method: "POST",
    aim: ({ team, member }) => ({ path: "/api/gw/teams/remove-member", body: { teamId: team, memberId: member } }),
    own: 200,
  },
  {
    id: "removeOrganizationMember",
    method: "POST",
    aim: ({ organization, member }) => ({
      path: `/api/gw/organizations/${organization}/remove-member`,
      body: { memberId: member },
    }),
    own: 200,
  },
];

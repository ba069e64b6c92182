export type OrganizationRole = "owner" | "admin" | "member";
export type TeamRole = "admin" | "member";

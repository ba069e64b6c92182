import { AdminSettings } from "@tollgate/contracts/management/admin-settings.ts";
import { operation, read } from "../operation.ts";

export const getAdminSettings = operation({
  ...read,
  id: "getAdminSettings",
  summary: "Get the effective settings and their sources; secrets appear only as set or not set",
  tag: "admin",
  path: "/api/admin/settings",
  auth: "administrator",
  scope: "own",
  answers: { 200: { description: "Settings by section", schema: AdminSettings } },
  handle: async (_input, { shownSettings }) => ({ status: 200, body: { sections: shownSettings() } }),
});

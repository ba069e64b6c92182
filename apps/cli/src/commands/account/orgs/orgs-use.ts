import { defineCommand } from "../../../command.ts";
import { resolveName } from "../../../resolve-name.ts";
import { writeSetting } from "../../../settings/config-file.ts";
import { currentToken } from "../../../settings/current-token.ts";

/** `tollgate orgs use`: sets the organization for this profile. */
export const orgsUse = defineCommand({
  examples: ["tollgate orgs use Acme", "tollgate orgs use org_01J… --profile work"],
  arguments: [{ name: "organization", description: "Organization name or ID", completes: "orgs" }],
  fields: ["id", "name", "role"],
  operations: ["updateActiveOrganization"],
  async run(context, _, args) {
    // Omit the organization header, because the request would fail if the previous organization no longer exists.
    const platform = context.platformAs(await currentToken(context));
    const { data } = await platform.call("listOrganizations", { query: { pageSize: 100 } });
    const { id, name, role } = resolveName("organization", args.organization, data);
    await platform.call("updateActiveOrganization", { body: { organizationId: id } });
    const { profile, values } = context.settings;
    writeSetting(context.io.env, profile, "org", id);
    const { output } = context;
    output.record({ id, name, role }, () => "");
    output.done(`Profile ${profile} now uses organization ${name}`);
    const { kind, origin } = values.org;
    if (kind === "environment" || kind === "project file") output.warn(`${origin} overrides this setting.`);
  },
});

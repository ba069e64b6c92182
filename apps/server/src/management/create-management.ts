import { Failure } from "@tollgate/contracts/failures.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { findManagedKey, listManagedKeys } from "@tollgate/db/keys/managed-keys.ts";
import { listManagedTeams } from "@tollgate/db/teams/managed-teams.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import type {
  KeyFilter,
  Management,
  ModelPatch,
  PageParams,
  TeamFilter,
} from "@tollgate/gateway/management/management.ts";
import { checkBaseUrl } from "@tollgate/platform/admin/providers/provider-fields.ts";
import { deleteKeys, findKey, generateKey, regenerateKey, updateKey } from "./manage-keys.ts";
import { createModel, deleteModel, type ModelServices, updateModel } from "./manage-models.ts";
import * as teams from "./manage-teams.ts";
import { listSpend, sumSpend } from "./report-spend.ts";
import {
  absent,
  asFailure,
  type ManagementParts,
  type OwnerContext,
  requireAdministrator,
  runAsKeyCreator,
  visibleTeams,
} from "./run-as-key-creator.ts";

/**
 * Creates the store that manages keys, teams, spending, and models in the platform's records, with one transaction per
 * operation.
 */
export function createManagement(
  parts: ManagementParts & { readonly reportDb: Database; readonly models: ModelServices },
): Management {
  const reports = { ...parts, db: parts.reportDb };
  /** Checks the base URL. Call this before taking any lock, because host names are resolved over the network. */
  const checkAddress = async ({ apiBase }: ModelPatch) => {
    try {
      await checkBaseUrl({ ...(apiBase !== undefined && { baseUrl: apiBase }) }, parts.models);
    } catch (error) {
      throw asFailure(error);
    }
  };
  return {
    generateKey: (manager, patch) => runAsKeyCreator(parts, manager, (acting) => generateKey(acting, patch)),
    updateKey: (manager, name, patch) => runAsKeyCreator(parts, manager, (acting) => updateKey(acting, name, patch)),
    deleteKeys: (manager, names) => runAsKeyCreator(parts, manager, (acting) => deleteKeys(acting, names)),
    regenerateKey: (manager, name, patch, graceMs) =>
      runAsKeyCreator(parts, manager, (acting) => regenerateKey(acting, name, patch, graceMs)),
    findKey: (manager, name) => runAsKeyCreator(parts, manager, (acting) => findKey(acting, name)),
    findOwnKey: async ({ keyId, organizationId }) => {
      if (organizationId === null) {
        throw new Failure("not_found", "The master key has no record. Specify another key with `key`.", {
          param: "key",
        });
      }
      const filter = { ...everyKey, organizationId, key: { id: keyId } };
      const key = await runInOrganization(parts.db, organizationId, (transaction) =>
        findManagedKey(transaction, filter, parts.now()),
      ).catch((error: unknown) => {
        throw asFailure(error);
      });
      if (key === null) throw absent("key");
      return key;
    },
    listKeys: (manager, filter, page) => runAsKeyCreator(parts, manager, (acting) => listKeys(acting, filter, page)),

    createTeam: (manager, patch, members) =>
      runAsKeyCreator(parts, manager, (acting) => teams.createTeam(acting, patch, members)),
    updateTeam: (manager, teamId, patch) =>
      runAsKeyCreator(parts, manager, (acting) => teams.updateTeam(acting, teamId, patch)),
    deleteTeams: (manager, teamIds) => runAsKeyCreator(parts, manager, (acting) => teams.deleteTeams(acting, teamIds)),
    addMembers: (manager, teamId, members) =>
      runAsKeyCreator(parts, manager, (acting) => teams.addMembers(acting, teamId, members)),
    updateMember: (manager, teamId, member) =>
      runAsKeyCreator(parts, manager, (acting) => teams.updateMember(acting, teamId, member)),
    removeMember: (manager, teamId, person) =>
      runAsKeyCreator(parts, manager, (acting) => teams.removeMember(acting, teamId, person)),
    findTeam: (manager, teamId) => runAsKeyCreator(parts, manager, (acting) => teams.findTeam(acting, teamId)),
    listTeams: (manager, filter, page) => runAsKeyCreator(parts, manager, (acting) => listTeams(acting, filter, page)),

    listSpend: (manager, filter, page) =>
      runAsKeyCreator(reports, manager, (acting) => listSpend(acting, filter, page)),
    sumSpend: (manager, filter) => runAsKeyCreator(reports, manager, (acting) => sumSpend(acting, filter)),

    createModel: async (manager, patch) => {
      await runAsKeyCreator(parts, manager, async (acting) => requireAdministrator(acting));
      await checkAddress(patch);
      return runAsKeyCreator(parts, manager, (acting) => createModel(acting, patch, parts.models));
    },
    updateModel: async (manager, id, patch) => {
      await runAsKeyCreator(parts, manager, async (acting) => requireAdministrator(acting));
      await checkAddress(patch);
      return runAsKeyCreator(parts, manager, (acting) => updateModel(acting, id, patch, parts.models));
    },
    deleteModel: (manager, id) => runAsKeyCreator(parts, manager, (acting) => deleteModel(acting, id)),
  };
}

const everyKey = {
  organizationId: null,
  teamIds: null,
  userId: null,
  name: null,
  key: null,
  includesRevoked: false,
};

async function listKeys(acting: OwnerContext, filter: KeyFilter, { page, pageSize }: PageParams) {
  const { organizationId, teamId, userId, name, key } = filter;
  const { member, now } = acting;
  if (isElsewhere(acting, organizationId)) return { items: [], total: 0 };
  const visible = visibleTeams(acting);
  const teamIds = teamId === null ? visible : visible === null || visible.includes(teamId) ? [teamId] : [];
  const wanted = {
    organizationId: member?.organizationId ?? organizationId,
    teamIds,
    userId,
    name,
    key,
    includesRevoked: false,
  };
  const { keys, total } = await listManagedKeys(acting.transaction, wanted, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
    now,
  });
  return { items: keys, total };
}

async function listTeams(
  acting: OwnerContext,
  { organizationId, userId, name }: TeamFilter,
  { page, pageSize }: PageParams,
) {
  const { member, now } = acting;
  if (isElsewhere(acting, organizationId)) return { items: [], total: 0 };
  const wanted = {
    organizationId: member?.organizationId ?? organizationId,
    ids: visibleTeams(acting),
    memberId: userId,
    name,
  };
  const { teams: items, total } = await listManagedTeams(acting.transaction, wanted, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
    now,
  });
  return { items, total };
}

/** Reports whether a record belongs to another organization. Such a record is treated as not found. */
function isElsewhere({ member }: OwnerContext, organizationId: string | null): boolean {
  return member !== null && organizationId !== null && organizationId !== member.organizationId;
}
